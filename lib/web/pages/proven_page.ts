import { type Context, page, type PageResponse } from "fresh";
import type { Principal } from "../../access/principal.ts";
import { AppError, type ErrorCode } from "../../errors/errors.ts";
import { SIGN_IN_METHODS_PAGE } from "../../sign_in/providers/identity_link.ts";
import { requirePrincipal } from "../authentication/require_user.ts";
import type { State } from "../state.ts";
import { askForProof, EMPTY_PROVEN_FORM, type ProvenFormState } from "./proof.ts";

/** Redirects when an error is better explained on another page. */
type RedirectOnError = (error: AppError) => Response | null;

/**
 * Shows a dangerous form before it is submitted. Redirects to the page that asks for a proof if there is no recent one.
 *
 * @param find returns what the page shows, if anything, or throws if the form could not succeed.
 */
export async function showProvenForm<Data extends object>(
  ctx: Context<State>,
  find: (principal: Principal) => Promise<Data | void>,
  redirectOnError: RedirectOnError,
): Promise<Response | PageResponse<ProvenFormState & Data>> {
  try {
    const data = (await find(await requirePrincipal(ctx))) as Data;
    return await askForProof(ctx) ?? page({ ...EMPTY_PROVEN_FORM, ...data });
  } catch (error) {
    const redirect = error instanceof AppError ? redirectOnError(error) : null;
    if (redirect === null) throw error;
    return redirect;
  }
}

/** Leads back to the list of sign-in methods on errors that the list explains. */
export function backToMethods(ctx: Context<State>, ...codes: ErrorCode[]): RedirectOnError {
  return ({ code }) => codes.includes(code) ? ctx.redirect(SIGN_IN_METHODS_PAGE, 303) : null;
}
