import { type Context, page } from "fresh";
import { authorize } from "../../authorization_server/authorize/authorization.ts";
import { findNextStep, silentError, type Step } from "../../authorization_server/authorize/next_step.ts";
import { AppError } from "../../errors/errors.ts";
import { errorHeaders } from "../../http/error_body.ts";
import { rateLimited } from "../../limits/rate_limit.ts";
import { requirePrincipal } from "../authentication/require_user.ts";
import { retryAfterMinutes } from "../pages/form.ts";
import { hop, needsHop } from "../pages/same_site_hop.tsx";
import { noteOAuthRefusal } from "../refusal.ts";
import type { State } from "../state.ts";
import { type Answer, type AuthorizePage, untrustedPage } from "./authorize_page.ts";
import { leave, leaveWithError, refuse } from "./leave.ts";
import { isInFrame } from "./navigation.ts";
import { isPageStep, loginOfGuest, pathOfVisit, redirectToStep } from "./next_page.ts";
import { findVisit, type GuestVisit, type PageVisit } from "./visit.ts";

/** Responds to a request of an app: judges it, finds who sends it, decides the next step, and takes it. */
export async function showAuthorize(ctx: Context<State>): Promise<Answer> {
  const visit = await findVisit(ctx);
  const isGuest = visit.kind === "guest" || visit.kind === "accepted" && visit.session === null;
  // A frame of another site never gets the session.
  if (isGuest && needsHop(ctx) && !isInFrame(ctx.req)) return await hop(ctx);
  if (visit.kind === "guest") return await logInFirst(ctx, visit);
  if (visit.kind !== "accepted") return await refuse(ctx, visit);
  const step = await findNextStep(ctx.state.services, visit);
  return await takeStep(ctx, visit, step);
}

/** Nobody has agreed to the app, so it hears of nothing. */
async function logInFirst(ctx: Context<State>, visit: GuestVisit): Promise<Answer> {
  const prompts = ctx.url.searchParams.get("prompt") ?? "";
  return /\bnone\b/.test(prompts) ? untrustedPage(ctx, "guest") : ctx.redirect(await loginOfGuest(ctx, visit), 303);
}

async function takeStep(ctx: Context<State>, visit: PageVisit, step: Step): Promise<Answer> {
  const { request, session } = visit;
  const error = request.prompts.includes("none") ? silentError(step) : null;
  if (error !== null) return await leaveWithError(ctx, request, error);
  if (step.kind === "authorize") return await leaveWithCode(ctx, visit).catch((error) => explain(ctx, visit, error));
  if (step.kind === "wait") return await tooOftenPage(ctx, visit, rateLimited(step.limit));
  if (isPageStep(step)) return await redirectToStep(ctx, visit, step.kind);
  if (session === null) return await redirectToStep(ctx, visit, "signIn");
  const { user } = session;
  const action = await pathOfVisit(ctx, visit);
  if (step.kind === "noAccess") {
    noteOAuthRefusal(ctx, { status: 403, message: "the person is in none of the groups that may use the app" });
    return page<AuthorizePage>({ kind: "noAccess", client: request.client, user, action }, { status: 403 });
  }
  return step.kind === "consent"
    ? page<AuthorizePage>({ kind: "consent", request, user, action })
    : page<AuthorizePage>({ kind: "choice", client: request.client, user, action });
}

/**
 * Allows the app what it asks for, and goes back to it with a code.
 *
 * @throws {AppError} RATE_LIMITED; UNAUTHENTICATED when the session has ended in the meantime.
 */
export async function leaveWithCode(ctx: Context<State>, { request }: PageVisit): Promise<Response> {
  const address = await authorize(ctx.state.services, await requirePrincipal(ctx), request);
  return await leave(ctx, { client: request.client, address });
}

/** Responds to an error of {@linkcode leaveWithCode}, or throws it if it is none of those. */
export async function explain(ctx: Context<State>, visit: PageVisit, error: unknown): Promise<Answer> {
  if (!(error instanceof AppError)) throw error;
  const isSilent = visit.request.prompts.includes("none");
  if (error.is("RATE_LIMITED")) {
    return isSilent
      ? await leaveWithError(ctx, visit.request, "temporarily_unavailable")
      : await tooOftenPage(ctx, visit, error);
  }
  if (!error.is("UNAUTHENTICATED")) throw error;
  return isSilent
    ? await leaveWithError(ctx, visit.request, "login_required")
    : await redirectToStep(ctx, visit, "signIn");
}

/** The page for an app that keeps asking for codes. */
async function tooOftenPage(ctx: Context<State>, visit: PageVisit, error: AppError): Promise<Answer> {
  const { request: { client } } = visit;
  const data: AuthorizePage = {
    kind: "tooOften",
    client,
    minutes: retryAfterMinutes(error),
    action: await pathOfVisit(ctx, visit),
  };
  return page(data, { status: 429, headers: errorHeaders(error) });
}
