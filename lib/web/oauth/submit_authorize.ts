import type { Context } from "fresh";
import { logOut } from "../../access/session.ts";
import { QUERY_MAX } from "../../authorization_server/authorize/authorize_request.ts";
import { findNextStep } from "../../authorization_server/authorize/next_step.ts";
import { AppError } from "../../errors/errors.ts";
import { type FormFields, parseFormPairs } from "../../http/text_body.ts";
import { rateLimited } from "../../limits/rate_limit.ts";
import { presentedSessionIds } from "../authentication/current_session.ts";
import { requireSameUser } from "../authentication/require_user.ts";
import { withoutSessionCookie } from "../authentication/session_cookie.ts";
import { clientOf } from "../client.ts";
import { submitOnce } from "../idempotency/submit_once.ts";
import { requireOwnOrigin } from "../middleware/same_origin.ts";
import type { State } from "../state.ts";
import { type Answer, untrustedPage } from "./authorize_page.ts";
import { leaveWithError, refuse } from "./leave.ts";
import { AUTHORIZE_PATH, loginOfGuest, pathOfVisit, redirectToStep } from "./next_page.ts";
import { explain, leaveWithCode } from "./show_authorize.ts";
import { findVisit, type PageVisit } from "./visit.ts";

/** The field of the buttons of our own pages. */
const ANSWER_FIELD = "answer";

/**
 * Responds to the buttons of the page, once. A form without them comes from an app: it is sent again as a query, which
 * shows the page. Source: OpenID Connect Core, 3.1.2.1.
 */
export async function submitAuthorize(ctx: Context<State>): Promise<Answer> {
  const pairs = await parseFormPairs(ctx.req).catch((error) => {
    if (error instanceof AppError && error.status < 500) return null;
    throw error;
  });
  if (pairs === null) return untrustedPage(ctx, "query");
  const fields = Object.fromEntries(pairs);
  if (!Object.hasOwn(fields, ANSWER_FIELD)) {
    // A form may have some of its parameters in its address.
    return sendAgain(ctx, new URLSearchParams([...ctx.url.searchParams, ...pairs]).toString());
  }
  requireOwnOrigin(ctx);
  const visit = await findVisit(ctx);
  if (visit.kind === "guest") return ctx.redirect(await loginOfGuest(ctx, visit), 303);
  if (visit.kind !== "accepted") return await refuse(ctx, visit);
  // Nothing changes then.
  if (fields[ANSWER_FIELD] === "cancel") return await cancel(ctx, visit, fields);
  return await submitOnce(ctx, fields, () => respondTo(ctx, visit, fields))
    .catch((error) => explain(ctx, visit, error));
}

function sendAgain(ctx: Context<State>, query: string): Answer {
  return query.length > QUERY_MAX ? untrustedPage(ctx, "query") : ctx.redirect(`${AUTHORIZE_PATH}?${query}`, 303);
}

/** Without a session, nothing can be done in the name of someone else. */
async function userOf(ctx: Context<State>, visit: PageVisit, fields: FormFields) {
  return visit.session === null ? null : (await requireSameUser(ctx, fields.user ?? "")).user;
}

async function cancel(ctx: Context<State>, visit: PageVisit, fields: FormFields): Promise<Answer> {
  await userOf(ctx, visit, fields);
  return await leaveWithError(ctx, visit.request, "access_denied");
}

async function respondTo(ctx: Context<State>, visit: PageVisit, fields: FormFields): Promise<Response> {
  const user = await userOf(ctx, visit, fields);
  switch (fields[ANSWER_FIELD]) {
    case "allow":
      return await allow(ctx, visit);
    case "continue":
      return ctx.redirect(await pathOfVisit(ctx, visit, { chosenBy: user?.id ?? null }), 303);
    case "other":
      return await useOtherAccount(ctx, visit);
    default:
      return ctx.redirect(await pathOfVisit(ctx, visit), 303);
  }
}

/** Everything is checked again. If another step has become necessary, the page leads to it. */
async function allow(ctx: Context<State>, visit: PageVisit): Promise<Response> {
  const step = await findNextStep(ctx.state.services, visit);
  if (step.kind === "wait") throw rateLimited(step.limit);
  if (step.kind === "consent" || step.kind === "authorize") return await leaveWithCode(ctx, visit);
  return ctx.redirect(await pathOfVisit(ctx, visit), 303);
}

async function useOtherAccount(ctx: Context<State>, visit: PageVisit): Promise<Response> {
  const { services } = ctx.state;
  await logOut(services, await presentedSessionIds(ctx), clientOf(ctx));
  const request = { ...visit.request, prompts: ["select_account" as const], loginHint: null };
  return withoutSessionCookie(await redirectToStep(ctx, { ...visit, request, session: null }, "signIn"), services);
}
