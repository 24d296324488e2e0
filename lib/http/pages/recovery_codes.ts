import type { Context } from "fresh";
import { sealShownCodes, SHOWN_CODES_SECONDS, unsealShownCodes } from "../../sign_in/second_factor/shown_codes.ts";
import { cookieValues, withCookie, withoutCookie } from "../cookies.ts";
import { requirePrincipal } from "../principal/require_user.ts";
import type { State } from "../state.ts";

/** The page that shows new recovery codes. */
export const RECOVERY_CODES_PAGE = "/settings/sign-in-methods/authenticator/recovery-codes";

const COOKIE = { name: "recovery_codes", sameSite: "strict", path: RECOVERY_CODES_PAGE } as const;

/**
 * Redirects to the page that shows new recovery codes once. Until then the browser keeps them, encrypted: the server stores
 * only hashes, and both clicks of a double click must lead to the same codes.
 */
export async function redirectToCodes(ctx: Context<State>, codes: string[]): Promise<Response> {
  const { services } = ctx.state;
  const { session } = await requirePrincipal(ctx);
  const value = await sealShownCodes(services, { codes, sessionId: session.id });
  const cookie = { ...COOKIE, value, maxAge: SHOWN_CODES_SECONDS };
  return withCookie(ctx.redirect(RECOVERY_CODES_PAGE, 303), cookie, services.config);
}

/** Returns the codes to show now, or null. The response that shows them must have {@linkcode shownCodesHeaders}. */
export async function findShownCodes(ctx: Context<State>): Promise<string[] | null> {
  const [sealed] = cookieValues(ctx.req, COOKIE.name);
  const { session } = await requirePrincipal(ctx);
  return sealed === undefined ? null : await unsealShownCodes(ctx.state.services, { sealed, sessionId: session.id });
}

/** The headers that make the browser forget the codes once they are shown. */
export function shownCodesHeaders({ services: { config } }: State): Headers {
  return withoutCookie(new Response(), COOKIE, config).headers;
}
