import type { Context } from "fresh";
import { DEFAULT_PROVIDER } from "../../config/provider_settings.ts";
import { keepIdentity, SIGN_IN_METHODS_PAGE } from "../../sign_in/providers/identity_link.ts";
import { signInWithIdp } from "../../sign_in/providers/idp_login.ts";
import { finishAttempt, invalidState } from "../../sign_in/providers/attempt_end.ts";
import { type KeptAnswer, sealAnswer } from "../../sign_in/providers/posted_answer.ts";
import { startAttempt } from "../../sign_in/providers/provider_attempt.ts";
import { AppError } from "../../errors/errors.ts";
import { sessionClientOf } from "../client.ts";
import { endAttempt, findAnswer, withAnswer, withAttemptCookies } from "./attempt_cookies.ts";
import { idpStep } from "./idp_sign_in.ts";
import { providerWay, withLastUsed } from "./last_used.ts";
import { countRequest } from "../middleware/rate_limit.ts";
import { nextPath } from "../pages/next_path.ts";
import { redirectSignedIn } from "./sign_in_response.ts";
import { presentedSessionIds } from "./current_session.ts";
import { parseFormPairs } from "../../http/text_body.ts";
import { CallbackQuery, PostedAnswer } from "../../schemas/navigation.ts";
import { requireProvider } from "../../services/identity_provider.ts";
import { Email } from "../../schemas/user.ts";
import type { State } from "../state.ts";

/**
 * Returns the key of the provider in the path. The default provider has URLs without a key.
 *
 * @throws {AppError} IDP_NOT_CONFIGURED for the key of the default provider.
 */
export function keyInPath({ params }: Context<State>): string {
  if (params.key !== DEFAULT_PROVIDER) return params.key;
  throw new AppError("IDP_NOT_CONFIGURED", { reason: "default" });
}

/** Starts a sign-in with the provider, and redirects to its consent screen. */
export async function startIdpSignIn(ctx: Context<State>, key = DEFAULT_PROVIDER): Promise<Response> {
  await countRequest(ctx);
  const next = nextPath(ctx);
  return await idpStep(ctx, { goal: { purpose: "sign_in", next }, key }, async (idp) => {
    const { services } = ctx.state;
    const sessionIds = await presentedSessionIds(ctx);
    const loginHint = Email.safeParse(ctx.url.searchParams.get("login_hint")).data;
    const goal = { provider: key, purpose: "sign_in", userId: null, sessionIds, next, loginHint } as const;
    const { url, attempt } = await startAttempt(services, idp, goal);
    return withAttemptCookies(ctx.redirect(url), ctx.req, attempt, services.config);
  });
}

/** What the routes declare to which providers send the browser back. */
export const CALLBACK = {
  caller: "public",
  tokens: "session",
  whileClosing: "open",
  query: CallbackQuery,
  returns: { 302: null },
  sends: ["Location", "Set-Cookie"],
  errors: ["INVALID_STATE", "IDP_NOT_CONFIGURED", "FORBIDDEN", "EMAIL_TAKEN", "PROVIDER_REQUIRED", "ACCOUNT_SUSPENDED"],
  limit: "write",
} as const;

/**
 * Ends an attempt at the provider: opens a session, or leads to the page that completes a link. HEAD must not redeem
 * the code, which works only once.
 */
export async function finishIdpSignIn(ctx: Context<State>, key = DEFAULT_PROVIDER): Promise<Response> {
  if (ctx.req.method === "HEAD") return ctx.redirect("/login");
  await countRequest(ctx);
  return await endAttempt(ctx, (browser) =>
    idpStep(ctx, { goal: browser.presented ?? NO_GOAL, key }, async (idp) => {
      const { services } = ctx.state;
      const answer = idp.postsAnswer ? await findAnswer(ctx) : null;
      const parameters = idp.postsAnswer ? parametersOf(ctx.url, answer) : ctx.url.searchParams;
      const { attempt, identity } = await finishAttempt(services, idp, { ...browser, provider: key, parameters });
      identity.name ??= answer?.name ?? null;
      if (attempt.purpose === "link") {
        const token = await keepIdentity(services, attempt, identity);
        return ctx.redirect(`${SIGN_IN_METHODS_PAGE}/confirm?${new URLSearchParams({ token })}`);
      }
      const client = await sessionClientOf(ctx);
      const presentedSessionIds = [...client.presentedSessionIds, ...attempt.sessionIds];
      const { session } = await signInWithIdp(services, identity, { ...client, presentedSessionIds });
      const response = redirectSignedIn(ctx, session, { next: attempt.next, status: 302 });
      // Also before a second step, which no longer knows the provider.
      return withLastUsed(response, providerWay(key), services.config);
    }));
}

/** The parameters that the provider has posted. In the query, only the state counts. */
function parametersOf({ searchParams }: URL, answer: KeptAnswer | null): URLSearchParams {
  const { code, error } = answer ?? {};
  const states = searchParams.getAll("state").map((state) => ["state", state]);
  return new URLSearchParams([...states, ...code ? [["code", code]] : [], ...error ? [["error", error]] : []]);
}

/**
 * Keeps the answer that a provider posts, and leads the browser to the same path. It then comes with its cookies, which
 * it does not send with a form of another site.
 */
export async function keepPostedAnswer(ctx: Context<State>, key: string): Promise<Response> {
  const { services } = ctx.state;
  await countRequest(ctx);
  requireProvider(services, key);
  const pairs = await parseFormPairs(ctx.req);
  const fields = new Map(pairs);
  const { data: answer } = PostedAnswer.safeParse(Object.fromEntries(fields));
  if (answer === undefined || fields.size < pairs.length) throw invalidState();
  const sealed = await sealAnswer(services, { provider: key, answer });
  const query = new URLSearchParams({ state: answer.state });
  return withAnswer(ctx.redirect(`${ctx.url.pathname}?${query}`, 303), sealed, services.config);
}

const NO_GOAL = { purpose: "sign_in", next: null } as const;
