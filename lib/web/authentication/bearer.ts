import type { Context } from "fresh";
import { findPresentedToken, isUsedDue, markUsed } from "../../access/api_token.ts";
import { AppError } from "../../errors/errors.ts";
import { isSecondFactorOverdue } from "../../access/second_factor_duty.ts";
import { isJwt } from "../../access/token_format.ts";
import { errorFields } from "../../log/log.ts";
import { bearerToken, hasBearer } from "../../http/bearer_token.ts";
import { withNoStore } from "../../http/cookies.ts";
import { rateLimited, toRateLimit } from "../../limits/rate_limit.ts";
import { define, type State } from "../state.ts";
import { isTokenEndpoint } from "../oauth/oauth_response.ts";
import { isAdministration } from "./administration.ts";
import { nothingHere } from "./require_user.ts";

/**
 * Finds the API token of a request that presents one, or the access token of an app, and counts the request. Routes
 * check whether its scopes cover them. The paths of administration are not found if the owner of the token is no admin.
 * Source: RFC 6750.
 *
 * @throws {AppError} UNAUTHENTICATED when the token is not valid; SECOND_FACTOR_SETUP_REQUIRED when its owner must set
 * one up; RATE_LIMITED; NOT_FOUND.
 */
export const bearer = define.middleware((ctx) =>
  hasBearer(ctx.req) && !isTokenEndpoint(ctx.url.pathname) ? bearerResponse(ctx) : ctx.next()
);

async function bearerResponse(ctx: Context<State>): Promise<Response> {
  const text = bearerToken(ctx.req);
  await (isJwt(text) ? useAccessToken(ctx, text) : useApiToken(ctx, text));
  const token = ctx.state.token!;
  // Before the scope: for the programs of others, there is no administration whose scope they could lack.
  if (isAdministration(ctx) && token.user !== null && !token.isOfAdmin) throw nothingHere();
  return withNoStore(await ctx.next());
}

/** @throws {AppError} UNAUTHENTICATED, RATE_LIMITED, SECOND_FACTOR_SETUP_REQUIRED. */
async function useApiToken(ctx: Context<State>, text: string): Promise<void> {
  const { services } = ctx.state;
  const presented = await findPresentedToken(services, text);
  if (presented === null) throw invalidToken();
  const { token, window } = presented;
  ctx.state.token = token;
  const owner = { id: token.user.id, role: token.isOfAdmin ? "admin" as const : "user" as const };
  if (await isSecondFactorOverdue(services, owner)) throw new AppError("SECOND_FACTOR_SETUP_REQUIRED");
  if (isUsedDue(token, services.now())) markUsedAfterResponse(ctx, token.id);
  if (window === null) return;
  const limit = ctx.state.tokenLimit = toRateLimit(services, { policy: "token", windows: [window] });
  if (limit.isExceeded) throw rateLimited(limit);
}

/** @throws {AppError} UNAUTHENTICATED, RATE_LIMITED. */
async function useAccessToken(ctx: Context<State>, text: string): Promise<void> {
  const { services } = ctx.state;
  if (services.config.registrations === null) throw invalidToken();
  const { findApiAccess } = await import("../../authorization_server/tokens/api_access.ts");
  const access = await findApiAccess(services, text);
  if (access === null) throw invalidToken();
  ctx.state.token = access.token;
  ctx.info.completed.catch(() => {}).then(() => access.markUsed());
  if (access.limit === null) return;
  ctx.state.tokenLimit = access.limit;
  if (access.limit.isExceeded) throw rateLimited(access.limit);
}

function invalidToken(): AppError {
  return new AppError("UNAUTHENTICATED", { reason: "token" });
}

/** The client must not wait for a write that only lists of tokens show. */
function markUsedAfterResponse({ info, state: { services } }: Context<State>, tokenId: string): void {
  info.completed.catch(() => {}).then(() => markUsed(services, tokenId))
    .catch((error) => services.log("warn", "last use of an API token not recorded", errorFields(error)));
}
