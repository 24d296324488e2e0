import type { Context } from "fresh";
import { sealForSession, SECRET_SECONDS, unsealForSession } from "../../access/session_secret.ts";
import { cookieValues, hostCookie, withCookie, withoutCookie } from "../../http/cookies.ts";
import { requirePrincipal } from "../authentication/require_user.ts";
import type { State } from "../state.ts";

/** A secret that a form has created, and that the next page shows. The cookie is encrypted for the session. */
const SECRET_COOKIE = "shown_once";

/** Between the path of the page and the secret. */
const SEPARATOR = "\n";

/**
 * Passes a secret to the page at `path`, which a redirect leads to. A response to the form itself would lose the secret
 * at a double click, and show it again at a reload. The browser keeps it, because the server stores only its hash.
 */
export async function showOnce(
  ctx: Context<State>,
  response: Response,
  { path, secret }: { path: string; secret: string },
): Promise<Response> {
  const { services } = ctx.state;
  const { session } = await requirePrincipal(ctx);
  const value = await sealForSession(services, { session, secret: path + SEPARATOR + secret });
  const name = hostCookie(SECRET_COOKIE, services.config);
  return withCookie(response, { name, sameSite: "strict", value, maxAge: SECRET_SECONDS }, services.config);
}

/** Returns the secret for the page at `path`, or null, and the headers with which the page clears it. */
export async function takeShownOnce(
  ctx: Context<State>,
  path: string,
): Promise<{ secret: string | null; headers: Headers }> {
  const { services } = ctx.state;
  const name = hostCookie(SECRET_COOKIE, services.config);
  const [sealed] = cookieValues(ctx.req, name);
  if (sealed === undefined) return { secret: null, headers: new Headers() };
  const { session } = await requirePrincipal(ctx);
  const opened = await unsealForSession(services, { session, sealed });
  const start = path + SEPARATOR;
  if (opened !== null && !opened.startsWith(start)) return { secret: null, headers: new Headers() }; // for another page
  const { headers } = withoutCookie(new Response(), { name, sameSite: "strict" }, services.config);
  return { secret: opened && opened.slice(start.length), headers };
}
