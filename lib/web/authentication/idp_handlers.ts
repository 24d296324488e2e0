import type { Context } from "fresh";
import { DEFAULT_PROVIDER } from "../../config/provider_settings.ts";
import { keepIdentity, SIGN_IN_METHODS_PAGE } from "../../sign_in/providers/identity_link.ts";
import { signInWithIdp } from "../../sign_in/providers/idp_login.ts";
import { finishAttempt } from "../../sign_in/providers/attempt_end.ts";
import { startAttempt } from "../../sign_in/providers/provider_attempt.ts";
import { AppError } from "../../errors/errors.ts";
import { sessionClientOf } from "../client.ts";
import { endAttempt, withAttemptCookies } from "./attempt_cookies.ts";
import { idpStep } from "./idp_sign_in.ts";
import { providerWay, withLastUsed } from "./last_used.ts";
import { countRequest } from "../middleware/rate_limit.ts";
import { nextPath } from "../pages/next_path.ts";
import { redirectSignedIn } from "./sign_in_response.ts";
import { presentedSessionIds } from "./current_session.ts";
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
      const returned = { ...browser, provider: key, parameters: ctx.url.searchParams };
      const { attempt, identity } = await finishAttempt(services, idp, returned);
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

const NO_GOAL = { purpose: "sign_in", next: null } as const;
