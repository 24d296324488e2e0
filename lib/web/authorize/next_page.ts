import type { Context } from "fresh";
import type { Step } from "../../authorization_server/authorize/next_step.ts";
import { KEEP_ACCOUNT_PAGE } from "../middleware/closing_account.ts";
import { loginPath, withNext } from "../pages/next_path.ts";
import type { State } from "../state.ts";
import { withRequestedLanguage } from "./request_language.ts";
import { type PageVisit, pathOfVisit } from "./visit.ts";

/** The steps that another page asks for. */
export type PageStep = "signIn" | "keepAccount" | "confirmAddress" | "prove" | "proveSecondFactor";

/** Whether another page asks for a step. */
export function isPageStep(step: Step): step is Step & { kind: PageStep } {
  return Object.hasOwn(PAGES, step.kind);
}

/** Redirects to the page that asks for a step. It leads back to the request. */
export async function redirectToStep(ctx: Context<State>, visit: PageVisit, step: PageStep): Promise<Response> {
  const path = withNext(PAGES[step](visit), await pathOfVisit(ctx, visit));
  return withRequestedLanguage(ctx, ctx.redirect(path, 303), visit.language);
}

const PAGES: Record<PageStep, (visit: PageVisit) => string> = {
  signIn: ({ request: { prompts, loginHint } }) => {
    if (prompts.includes("create")) return "/register";
    return loginHint === null ? "/login" : loginPath(loginHint, null);
  },
  keepAccount: () => KEEP_ACCOUNT_PAGE,
  confirmAddress: ({ session }) => `/verify-email?${new URLSearchParams({ email: session?.user.email ?? "" })}`,
  prove: () => "/reauthenticate",
  proveSecondFactor: () => "/reauthenticate?second=true",
};
