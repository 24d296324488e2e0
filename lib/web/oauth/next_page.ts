import type { Context } from "fresh";
import type { Step } from "../../authorization_server/authorize/next_step.ts";
import { withMark } from "../../authorization_server/authorize/seen_mark.ts";
import { REQUIRED_PAGE } from "../authentication/current_session.ts";
import { KEEP_ACCOUNT_PAGE } from "../middleware/closing_account.ts";
import { confirmationPath, loginPath, withAccountChoice, withNext } from "../pages/next_path.ts";
import type { State } from "../state.ts";
import { withRequestedLanguage } from "./request_language.ts";
import type { GuestVisit, PageVisit } from "./visit.ts";

/** The address of the page. */
export const AUTHORIZE_PATH = "/oauth/authorize";

/** The steps that another page asks for. */
export type PageStep =
  | "signIn"
  | "keepAccount"
  | "setUpSecondFactor"
  | "confirmAddress"
  | "prove"
  | "proveSecondFactor";

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
    const path = loginHint === null ? "/login" : loginPath(loginHint, null);
    return prompts.includes("select_account") ? withAccountChoice(path) : path;
  },
  keepAccount: () => KEEP_ACCOUNT_PAGE,
  setUpSecondFactor: () => REQUIRED_PAGE,
  confirmAddress: ({ session }) => confirmationPath(session?.user.email ?? "", null),
  prove: () => "/reauthenticate",
  proveSecondFactor: () => "/reauthenticate?second=true",
};

/** Returns the path of the login page for someone whom an unregistered app has sent. */
export async function loginOfGuest(
  { state: { services } }: Context<State>,
  { query, request }: GuestVisit,
): Promise<string> {
  const mark = { ...request, chosenBy: null, at: services.now() };
  return withNext("/login", `${AUTHORIZE_PATH}?${await withMark(services, query, mark)}`);
}

/**
 * Returns the path of a visit, with a mark of when the request was first seen. Pages that come first lead back to it.
 *
 * @param options.chosenBy the id of the user, if they have chosen this account; otherwise null. Default: as in the
 * present mark.
 */
export async function pathOfVisit(
  { state: { services } }: Context<State>,
  { query, request, session, seen }: PageVisit,
  { chosenBy = seen?.isChosen ? session?.user.id ?? null : null }: { chosenBy?: string | null } = {},
): Promise<string> {
  const at = seen?.at ?? services.now();
  const { client, state } = request;
  return `${AUTHORIZE_PATH}?${await withMark(services, query, { client, state, chosenBy, at })}`;
}
