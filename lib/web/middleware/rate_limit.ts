import type { Context } from "fresh";
import { COUNTED_BY, type Policy } from "../../limits/policy.ts";
import { countUse, findRateLimit, type RateLimit, rateLimited } from "../../limits/rate_limit.ts";
import { clientAddress } from "../../http/client_address.ts";
import { currentUser } from "../authentication/viewer.ts";
import { define, type State } from "../state.ts";

/** Applies a policy to a handler, whose responses get the headers. The handler must call {@linkcode countRequest}. */
export function limited<R>(policy: Policy, handler: (ctx: Context<State>) => R): (ctx: Context<State>) => R {
  return (ctx) => {
    ctx.state.limit = { policy };
    return handler(ctx);
  };
}

/**
 * Counts the request under the policy of its route, or under another one. Call it after parsing, so that invalid input
 * does not count, and inside the action that runs once, so that a double click counts once.
 *
 * @throws {AppError} RATE_LIMITED.
 */
export async function countRequest(ctx: Context<State>, policy = ctx.state.limit?.policy): Promise<void> {
  const { limit, services } = ctx.state;
  if (policy === undefined) throw new Error(`Cannot count a request: ${ctx.url.pathname} has no limit`);
  const counted = await countUse(services, { policy, clients: await clientsOf(ctx, policy) });
  if (limit?.policy === policy) limit.counted = counted;
  if (counted?.isExceeded) throw rateLimited(counted);
}

/**
 * Sets the RateLimit headers on every response of a limited route, and of a request with an API token. Source:
 * draft-ietf-httpapi-ratelimit-headers.
 */
export const rateLimitHeaders = define.middleware(async (ctx) => {
  const response = await ctx.next();
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
  return await findRateLimit(ctx.state.services, { policy, clients: await clientsOf(ctx, policy) });
}

async function clientsOf(ctx: Context<State>, policy: Policy): Promise<string[]> {
  const { trustedProxies } = ctx.state.services.config;
  const clients: string[] = [];
  for (const key of COUNTED_BY[policy]) {
    if (key === "address") clients.push(`address:${clientAddress(ctx.req, ctx.info, trustedProxies)}`);
    const userId = key === "user" ? ctx.state.limit?.userId ?? (await currentUser(ctx))?.id : undefined;
    if (userId !== undefined) clients.push(`user:${userId}`);
  }
  return clients;
}
