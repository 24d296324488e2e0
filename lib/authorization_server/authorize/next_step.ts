import type { ActiveSession } from "../../access/session.ts";
import { SECOND_MS } from "../../duration.ts";
import { addedTo, findConsent, isEmpty } from "../../grants/consent.ts";
import { SCOPES } from "../../schemas/scopes.ts";
import { findRateLimit, type RateLimit } from "../../limits/rate_limit.ts";
import type { Services } from "../../services/services.ts";
import { admits, groupNamesOf } from "../../groups/membership.ts";
import { hasRecentProof, listSecondFactors } from "../../sign_in/proof.ts";
import { authenticationContext } from "../authentication_context.ts";
import type { AuthorizeError } from "./authorize_error.ts";
import type { AuthorizeRequest } from "./authorize_request.ts";
import { authorizeUse } from "./authorization.ts";
import { allowanceOf } from "../grant.ts";
import { readIdTokenHint } from "./id_token_hint.ts";
import { isClaimable } from "./redirect_uri.ts";
import type { Seen } from "./seen_mark.ts";

/** What a person must do before an app gets its code. */
export type Step =
  | { kind: "signIn" }
  | { kind: "keepAccount" }
  | { kind: "setUpSecondFactor" }
  | { kind: "confirmAddress" }
  | { kind: "chooseAccount" }
  | { kind: "prove" }
  | { kind: "proveSecondFactor" }
  | { kind: "noAccess" }
  | { kind: "wait"; limit: RateLimit }
  | { kind: "consent" }
  | { kind: "authorize" };

/** What the app gets instead, if no page may be shown. Only an ID token of someone else leads to chooseAccount then. */
const ERROR_OF: Record<Exclude<Step["kind"], "authorize">, AuthorizeError> = {
  signIn: "login_required",
  keepAccount: "interaction_required",
  setUpSecondFactor: "interaction_required",
  confirmAddress: "interaction_required",
  chooseAccount: "login_required",
  prove: "login_required",
  proveSecondFactor: "login_required",
  noAccess: "interaction_required",
  wait: "temporarily_unavailable",
  consent: "consent_required",
};

/** Returns the error for a request that allows no page, or null if there is nothing left to do. */
export function silentError({ kind }: Step): AuthorizeError | null {
  return kind === "authorize" ? null : ERROR_OF[kind];
}

/** A request, and who sends it. */
export interface Visit {
  request: AuthorizeRequest;
  session: ActiveSession | null;
  /** Null if the request has not been seen before. */
  seen: Seen | null;
}

/**
 * Finds the next step. The order matters: each step assumes those before it. Source: docs/rules.md, Sign in with Foyer.
 */
export async function findNextStep(services: Services, { request, session, seen }: Visit): Promise<Step> {
  if (session === null) return { kind: "signIn" };
  const { user } = session;
  const { client, asksForSecondFactor } = request;
  if (user.deletionDueAt !== null) return { kind: "keepAccount" };
  if (session.isWaiting) return { kind: "setUpSecondFactor" };
  if (!user.emailVerified && client.requiresVerifiedEmail) return { kind: "confirmAddress" };
  const hasChosen = seen !== null && (seen.isChosen || session.startedAt >= seen.at);
  if (!hasChosen && await isHintAtAnother(services, request, session)) return { kind: "chooseAccount" };
  if (!isProofRecent(services, { request, session, seen })) return { kind: "prove" };
  const factorStep = await findFactorStep(services, { client, asksForSecondFactor }, session);
  if (factorStep !== null) return factorStep;
  if (!hasChosen && request.prompts.includes("select_account")) return { kind: "chooseAccount" };
  if (!await mayUse(services, request, session)) return { kind: "noAccess" };
  const limit = await findRateLimit(services, authorizeUse({ user, client }));
  if (limit?.remaining === 0) return { kind: "wait", limit };
  if (!await needsConsent(services, request, session)) return { kind: "authorize" };
  const needsProof = isDangerous(request) && !request.prompts.includes("none") &&
    !await hasRecentProof(services, session);
  return { kind: needsProof ? "prove" : "consent" };
}

async function isHintAtAnother(
  services: Services,
  { client, idTokenHint }: AuthorizeRequest,
  { user }: ActiveSession,
): Promise<boolean> {
  const hint = idTokenHint === null ? null : await readIdTokenHint(services, idTokenHint);
  return hint !== null && hint.clientId === client.id && hint.userId !== user.id;
}

/** A proof since the request was first seen is always recent enough, even if that took the person a while. */
function isProofRecent(
  { now }: Pick<Services, "now">,
  { request: { maxAgeSeconds }, session: { authenticatedAt }, seen }: Visit & { session: ActiveSession },
): boolean {
  if (maxAgeSeconds === null || (seen !== null && authenticatedAt >= seen.at)) return true;
  // Not as the end of a period: a great number would exceed all dates.
  return maxAgeSeconds > 0 && now().getTime() - authenticatedAt.getTime() <= maxAgeSeconds * SECOND_MS;
}

/** What the person of a device must do before they can allow it something. */
export type Obstacle = Step & { kind: "confirmAddress" | "setUpSecondFactor" | "proveSecondFactor" | "noAccess" };

/**
 * Finds what keeps someone from allowing a device what it asks for, or null. The page that asks them has made sure that
 * their session may be used.
 */
export async function findObstacle(
  services: Services,
  { client, resource }: Pick<AuthorizeRequest, "client" | "resource">,
  session: ActiveSession,
): Promise<Obstacle | null> {
  if (!session.user.emailVerified && client.requiresVerifiedEmail) return { kind: "confirmAddress" };
  // Before the second factor, which nobody has to set up for an app that is not for them.
  if (!await mayUse(services, { client, resource }, session)) return { kind: "noAccess" };
  return await findFactorStep(services, { client, asksForSecondFactor: false }, session);
}

/** A request may prefer a second factor, which counts for people who have one. A client may require it of everyone. */
async function findFactorStep(
  services: Services,
  { client: { requiresSecondFactor }, asksForSecondFactor }: Pick<AuthorizeRequest, "client" | "asksForSecondFactor">,
  session: ActiveSession,
): Promise<Step & { kind: "setUpSecondFactor" | "proveSecondFactor" } | null> {
  if (!asksForSecondFactor && !requiresSecondFactor) return null;
  if (authenticationContext(session).acr === "2") return null;
  if ((await listSecondFactors(services, session.user.id)).length > 0) return { kind: "proveSecondFactor" };
  return requiresSecondFactor ? { kind: "setUpSecondFactor" } : null;
}

async function mayUse(
  { db, now }: Services,
  { client, resource }: Pick<AuthorizeRequest, "client" | "resource">,
  { user }: ActiveSession,
): Promise<boolean> {
  const places = [client, resource].filter((place) => place !== null && place.groups.length > 0);
  if (places.length === 0) return true;
  const groups = await groupNamesOf(db, { userId: user.id, now: now() });
  return places.every((place) => admits(place!, groups));
}

/** Programs on a device can claim some redirect URIs of an app, so there the person must see whom they let in. */
async function needsConsent(
  { db }: Services,
  { client, redirectUri, prompts, scopes, resource }: AuthorizeRequest,
  { user }: ActiveSession,
): Promise<boolean> {
  if (isClaimable(redirectUri)) return true;
  if (client.isFirstParty) return false;
  if (prompts.includes("consent")) return true;
  const consent = await findConsent(db, { userId: user.id, clientId: client.id });
  return consent === null || !isEmpty(addedTo(consent, allowanceOf({ scopes, resource: resource?.uri ?? null })));
}

const API_SCOPES: readonly string[] = SCOPES;

/**
 * Whether an app asks for what an API token may do: then agreeing requires a recent proof, as creating a token does.
 */
export function isDangerous({ client, scopes }: AuthorizeRequest): boolean {
  return !client.isFirstParty && scopes.some((scope) => API_SCOPES.includes(scope));
}
