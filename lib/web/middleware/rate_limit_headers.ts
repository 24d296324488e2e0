import type { Context } from "fresh";
import type { Policy } from "../../config/limits.ts";
import { findRateLimit, type RateLimit } from "../../limits/rate_limit.ts";
import { define, type State } from "../state.ts";
import { limitedClients } from "./limited_clients.ts";

/**
 * Sets the RateLimit headers on every response of a limited route, and of a request with an API token. Source:
 * draft-ietf-httpapi-ratelimit-headers.
 */
export const rateLimitHeaders = define.middleware(async (ctx) => {
  const response = await ctx.next();
  if (ctx.state.limit === undefined && ctx.state.tokenLimit === undefined) return response;
  const limits = [await routeLimitAfter(ctx, response), ctx.state.tokenLimit].filter((limit) => !!limit);
  if (limits.length === 0) return response;
  const policies = limits.map(({ policy, quota, windowSeconds }) => `"${policy}";q=${quota};w=${windowSeconds}`);
  const states = limits.map(({ policy, remaining, resetSeconds }) => `"${policy}";r=${remaining};t=${resetSeconds}`);
  response.headers.set("RateLimit-Policy", policies.join(", "));
  response.headers.set("RateLimit", states.join(", "));
  return response;
});

async function routeLimitAfter(ctx: Context<State>, { status }: Response): Promise<RateLimit | null> {
  const { limit } = ctx.state;
  if (limit === undefined) return null;
  return limit.counted === undefined && status < 500
    ? await findState(ctx, limit.policy).catch(() => null)
    : limit.counted ?? null;
}

/** For responses to requests that were not counted, such as one that failed validation. */
async function findState(ctx: Context<State>, policy: Policy): Promise<RateLimit | null> {
  return await findRateLimit(ctx.state.services, { policy, clients: await limitedClients(ctx, policy) });
}
