import type { Context } from "fresh";
import { AppError, type ErrorCode } from "../../errors.ts";
import { COUNTED_BY, countedUse, type Limit, type Policy, policyOf } from "../../limits/policy.ts";
import {
  countFailures,
  countUse,
  findRateLimit,
  type RateLimit,
  rateLimited,
  SITE_CLIENT,
} from "../../limits/rate_limit.ts";
import { clientAddress, siteOf } from "../../http/client_address.ts";
import { currentUser } from "../authentication/viewer.ts";
import { define, type State } from "../state.ts";

/** A handler, and the limit of its requests. */
export interface LimitedHandler<R> {
  (ctx: Context<State>): R;
  readonly limit: Limit;
}

/** Applies a limit to the handler of a page. The responses get the headers of its policy, and `submitForm` counts. */
export function limited<R>(limit: Limit, handler: (ctx: Context<State>) => R): LimitedHandler<R> {
  const policy = policyOf(limit);
  const limitedHandler = (ctx: Context<State>) => {
    if (policy !== undefined) ctx.state.limit = { policy };
    return handler(ctx);
  };
  return Object.assign(limitedHandler, { limit });
}

/**
 * Runs an action under the policy of its route, or under another one that replaces it. Call it after parsing, so that
 * invalid input does not count, and inside the action that runs once, so that a double click counts once.
 *
 * @throws {AppError} RATE_LIMITED, and what the action throws.
 */
export async function underLimit<Result>(
  ctx: Context<State>,
  act: () => Result | Promise<Result>,
  otherPolicy?: Policy,
): Promise<Result> {
  if (otherPolicy !== undefined) ctx.state.limit = { policy: otherPolicy };
  const policy = ctx.state.limit?.policy;
  const counted = policy && countedUse(policy, ctx.state.services.config);
  if (counted === "failures") return await countOnlyFailures(ctx, policy!, act);
  if (counted === "requests") await countRequest(ctx);
  // Only wrong ones count under their own policy, but right ones are hashed and stored too.
  if (policy === "proof") await countRequest(ctx, "write");
  return await act();
}

/** The errors of wrong tokens, passwords, codes and passkeys. */
const FAILURES: ErrorCode[] = ["INVALID_TOKEN", "INVALID_CREDENTIALS"];

async function countOnlyFailures<Result>(
  ctx: Context<State>,
  policy: Policy,
  act: () => Result | Promise<Result>,
): Promise<Result> {
  return await countFailures(ctx.state.services, { policy, clients: await clientsOf(ctx, policy) }, {
    act: async () => await act(),
    isFailure: (error) => error instanceof AppError && FAILURES.includes(error.code),
  });
}

/**
 * Counts the request under the policy of its route, or under another one.
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
  return await findRateLimit(ctx.state.services, { policy, clients: await clientsOf(ctx, policy) });
}

async function clientsOf(ctx: Context<State>, policy: Policy): Promise<string[]> {
  const user = async () => ctx.state.limit?.userId ?? (await currentUser(ctx))?.id;
  const clients: string[] = [];
  for (const key of COUNTED_BY[policy]) {
    const userId = key === "address" ? undefined : await user();
    if (userId !== undefined) clients.push(`user:${userId}`);
    else if (key !== "user") clients.push(...addressClients(ctx));
  }
  return clients;
}

function addressClients({ req, info, state }: Context<State>): string[] {
  const address = clientAddress(req, info, state.services.config.trustedProxies);
  const site = siteOf(address);
  return site === null ? [`address:${address}`] : [`address:${address}`, `${SITE_CLIENT}${site}`];
}
