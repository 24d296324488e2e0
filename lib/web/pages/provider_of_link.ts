import type { Context } from "fresh";
import { findNextOfLink, PRINTED_PREFIX } from "../../sign_in/login_link.ts";
import { requiredLink } from "../authentication/idp_sign_in.ts";
import type { State } from "../state.ts";
import type { FormState } from "./form.ts";

/**
 * Redirects from an emailed link whose address needs a provider: an invitation leads through it. Null if the address
 * needs none, or if an operator has printed the link.
 */
export async function redirectToProviderOfLink(ctx: Context<State>, { values }: FormState): Promise<Response | null> {
  const { services } = ctx.state;
  const { email, token } = values;
  if (token.startsWith(PRINTED_PREFIX) || requiredLink(services.config, email, null) === null) return null;
  const next = token === "" ? null : await findNextOfLink(services, { email, token });
  return ctx.redirect(requiredLink(services.config, email, next)!.href, 303);
}
