import type { Context } from "fresh";
import { AppError, type ErrorCode } from "../../errors.ts";
import { countedUse, type Limit, type Policy, policyOf } from "../../limits/policy.ts";
import { countFailures, countUse, rateLimited } from "../../limits/rate_limit.ts";
import type { State } from "../state.ts";
import { limitedClients } from "./limited_clients.ts";

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
  return await countFailures(ctx.state.services, { policy, clients: await limitedClients(ctx, policy) }, {
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
  const counted = await countUse(services, { policy, clients: await limitedClients(ctx, policy) });
  if (limit?.policy === policy) limit.counted = counted;
  if (counted?.isExceeded) throw rateLimited(counted);
}
