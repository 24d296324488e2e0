import type { Context } from "fresh";
import type { State } from "../state.ts";
import { nextPath, withNext } from "./next_path.ts";
import { showOnce, takeShownOnce } from "./shown_once.ts";

/** The page that shows new recovery codes. */
export const RECOVERY_CODES_PAGE = "/settings/sign-in-methods/authenticator/recovery-codes";

/** Redirects to the page that shows new recovery codes, once. */
export async function redirectToCodes(ctx: Context<State>, codes: string[]): Promise<Response> {
  const response = ctx.redirect(withNext(RECOVERY_CODES_PAGE, nextPath(ctx)), 303);
  return await showOnce(ctx, response, { path: RECOVERY_CODES_PAGE, secret: codes.join("\n") });
}

/** Returns the codes to show now, or null, and the headers that make the browser forget them. */
export async function takeCodes(ctx: Context<State>): Promise<{ codes: string[] | null; headers: Headers }> {
  const { secret, headers } = await takeShownOnce(ctx, RECOVERY_CODES_PAGE);
  return { codes: secret?.split("\n") ?? null, headers };
}
