import type { Context } from "fresh";
import { sealForSession, unsealForSession } from "../../accounts/sessions/session_secret.ts";
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
  const { config } = ctx.state.services;
  const { session } = await requirePrincipal(ctx);
  const value = await sealForSession({ config, session }, secret);
  return withCookie(response, { ...COOKIE, path, value, maxAge: 5 * MINUTE_SECONDS }, config);
}

/** Returns the secret for the page at `path`, or null, and the headers with which the page clears it. */
export async function takeShownOnce(
  ctx: Context<State>,
  path: string,
): Promise<{ secret: string | null; headers: Headers }> {
  const [sealed] = cookieValues(ctx.req, COOKIE.name);
  if (sealed === undefined) return { secret: null, headers: new Headers() };
  const { config } = ctx.state.services;
  const { session } = await requirePrincipal(ctx);
  const { headers } = withoutCookie(new Response(), { ...COOKIE, path }, config);
  return { secret: await unsealForSession({ config, session }, sealed), headers };
}
