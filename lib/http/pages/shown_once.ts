import type { Context } from "fresh";
import { seal, type SealedPlace, unseal } from "../../crypto/sealed.ts";
import { MINUTE_SECONDS } from "../../duration.ts";
import { cookieValues, withCookie, withoutCookie } from "../cookies.ts";
import { requirePrincipal } from "../principal/require_user.ts";
import type { State } from "../state.ts";

/** A secret that a form has created, and that the next page shows. The cookie is encrypted for the session. */
const COOKIE = { name: "shown_once", sameSite: "strict" } as const;

/**
 * Passes a secret to the page at `path`, which a redirect leads to. A response to the form itself would lose the secret
 * at a double click, and show it again at a reload.
 */
export async function showOnce(
  ctx: Context<State>,
  response: Response,
  { path, secret }: { path: string; secret: string },
): Promise<Response> {
  const value = await seal(secret, await placeOf(ctx));
  return withCookie(response, { ...COOKIE, path, value, maxAge: 5 * MINUTE_SECONDS }, ctx.state.services.config);
}

/** Returns the secret for the page at `path`, or null, and the headers with which the page clears it. */
export async function takeShownOnce(
  ctx: Context<State>,
  path: string,
): Promise<{ secret: string | null; headers: Headers }> {
  const [sealed] = cookieValues(ctx.req, COOKIE.name);
  if (sealed === undefined) return { secret: null, headers: new Headers() };
  const { headers } = withoutCookie(new Response(), { ...COOKIE, path }, ctx.state.services.config);
  // A cookie of another session, or one that someone has changed, shows nothing.
  const secret = await unseal<string>(sealed, await placeOf(ctx)).catch(() => null);
  return { secret, headers };
}

async function placeOf(ctx: Context<State>): Promise<SealedPlace> {
  const { session } = await requirePrincipal(ctx);
  return { purpose: "shown once", id: session.id, secret: ctx.state.services.config.appSecret };
}
