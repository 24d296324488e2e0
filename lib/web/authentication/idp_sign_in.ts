import type { Context } from "fresh";
import { providerName } from "../../accounts/identities.ts";
import type { Config } from "../../config/config.ts";
import { requiredProvider } from "../../config/sign_in_domains.ts";
import { IdpError } from "../../errors/errors.ts";
import { type IdentityProvider, requireProvider } from "../../services/identity_provider.ts";
import { DEFAULT_PROVIDER, signInPath } from "../../config/provider_settings.ts";
import { Email } from "../../schemas/user.ts";
import { SIGN_IN_METHODS_PAGE } from "../../sign_in/providers/identity_link.ts";
import type { ProviderAttempt } from "../../sign_in/providers/provider_attempt.ts";
import type { IdpLink } from "../../ui/IdpLinks.tsx";
import { withNext } from "../pages/next_path.ts";
import { countRefusedIdp } from "../../sign_in/sign_in_count.ts";
import { requestIdOf } from "../../http/request_id.ts";
import type { State } from "../state.ts";

/** What an attempt was started for, and the page to go to after it. */
type Goal = Pick<ProviderAttempt, "purpose" | "next">;

/** The goal of linking a provider. */
export const LINK: Goal = { purpose: "link", next: SIGN_IN_METHODS_PAGE };

/** The key of the provider in the query of a page about one. */
export function keyInQuery({ searchParams }: URL): string {
  return searchParams.get("provider") ?? DEFAULT_PROVIDER;
}

/** The key of the provider in the query, and its name for people. */
export function providerInQuery({ url, state }: Context<State>): { key: string; name: string } {
  const key = keyInQuery(url);
  return { key, name: providerName(state.services.config, key) };
}

/**
 * The links that start a sign-in, one for each provider.
 *
 * @param email the address that the person has entered, for the provider that it needs.
 */
export function signInLinks(config: Config, next: string | null, email?: string): IdpLink[] {
  const required = requiredLink(config, email, next);
  return config.providers.map(({ key, name }) =>
    key === required?.key ? required : { key, name, href: withNext(signInPath(key), next) }
  );
}

/** The link to the provider that SIGN_IN_DOMAINS demands for an address as it was entered; null if there is none. */
export function requiredLink(config: Config, entered: string | undefined, next: string | null): IdpLink | null {
  const { data: email } = Email.safeParse(entered);
  const key = email === undefined ? null : requiredProvider(config, email);
  if (key === null) return null;
  const path = `${signInPath(key)}?${new URLSearchParams({ login_hint: email! })}`;
  return { key, name: providerName(config, key), href: withNext(path, next) };
}

/** The name of the provider whose refusal the page explains; null if it is unknown, or none that is configured. */
export function refusedProviderName({ providers }: Config, url: URL): string | null {
  if (providers.length === 1) return providers[0].name;
  // An attempt that has expired no longer has a provider.
  const key = url.searchParams.get("error") === "expired" ? null : keyInQuery(url);
  return providers.find((provider) => provider.key === key)?.name ?? null;
}

/** The goal of an attempt, and the key of its provider. */
interface Step {
  goal: Goal;
  /** Undefined if the attempt has ended, which is no refusal. */
  key?: string;
}

/**
 * Runs one step of an attempt. A failure at the provider is logged and redirects to the page that explains it.
 *
 * @throws {AppError} IDP_NOT_CONFIGURED.
 */
export async function idpStep(
  ctx: Context<State>,
  { goal, key }: Required<Step>,
  step: (idp: IdentityProvider) => Promise<Response>,
): Promise<Response> {
  const idp = requireProvider(ctx.state.services, key);
  return await explainRefusal(ctx, { goal, key }, () => step(idp));
}

/** Logs a refused sign-in, and redirects to the page that explains it. */
export async function explainRefusal(
  ctx: Context<State>,
  { goal, key }: Step,
  step: () => Promise<Response>,
): Promise<Response> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof IdpError)) throw error;
    if (goal.purpose === "sign_in") countRefusedIdp(ctx.state.services, error);
    const { refusal, message: reason, failure } = error;
    const level = failure === undefined && refusal !== "idp_failed" ? "info" : "warn";
    ctx.state.services.log(level, "sign-in failed", { requestId: requestIdOf(ctx.info), refusal, reason, ...failure });
    const { providers } = ctx.state.services.config;
    const isNamed = providers.length > 1 && key !== undefined && key !== DEFAULT_PROVIDER;
    return ctx.redirect(refusedPath(goal, `error=${refusal}${isNamed ? `&provider=${key}` : ""}`));
  }
}

function refusedPath({ purpose, next }: Goal, query: string): string {
  return purpose === "link" ? `${SIGN_IN_METHODS_PAGE}?${query}` : withNext(`/login?${query}`, next);
}
