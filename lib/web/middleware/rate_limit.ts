import type { Context } from "fresh";
import type { Chunks } from "../../bytes/chunks.ts";
import { AppError, type ErrorCode } from "../../errors/errors.ts";
import type { Policy } from "../../config/limits.ts";
import { countedUse } from "../../limits/policy.ts";
import { countAttempt, countUse, findRateLimit, rateLimited } from "../../limits/rate_limit.ts";
import type { State } from "../state.ts";
import { limitedClients } from "./limited_clients.ts";

/** Puts a request under a policy, in place of any before. `underLimit` counts, and the response gets its headers. */
export function setLimit({ state }: Context<State>, policy: Policy): void {
  state.limit = { policy };
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
  if (otherPolicy !== undefined) setLimit(ctx, otherPolicy);
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
  const clients = await limitedClients(ctx, policy);
  await using attempt = await countAttempt(ctx.state.services, { policy, clients });
  try {
    return await act();
  } catch (error) {
    attempt.hasFailed = error instanceof AppError && FAILURES.includes(error.code);
    throw error;
  }
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

/** Takes the content of a file as it arrives. */
type Stage<Staged> = (content: Chunks) => Promise<Staged>;

/**
 * Reads a form whose file counts under a policy. A file that began to arrive counts even if the form turns out
 * incomplete or invalid: otherwise, breaking off would make any number of files free. Complete forms count in
 * `underLimit`.
 *
 * A client that has exceeded the limit is refused at the first byte. One that has only reached it is not, because the
 * form may repeat an earlier one.
 *
 * @param options.read reads the form, and passes its files to the `stage` that it gets.
 * @throws {AppError} RATE_LIMITED, and what `read` throws.
 */
export async function readFormUnderLimit<Staged, Form>(
  ctx: Context<State>,
  { policy, stage, read }: { policy: Policy; stage: Stage<Staged>; read(stage: Stage<Staged>): Promise<Form> },
): Promise<Form> {
  const { services } = ctx.state;
  const use = { policy, clients: await limitedClients(ctx, policy) };
  let hasBegun = false;
  async function* watch(content: Chunks): Chunks {
    for await (const chunk of content) {
      if (!hasBegun && chunk.length > 0) {
        const limit = await findRateLimit(services, use);
        if (limit?.isExceeded) {
          ctx.state.limit = { ...ctx.state.limit, policy };
          throw rateLimited(limit);
        }
        hasBegun = true;
      }
      yield chunk;
    }
  }
  try {
    return await read((content) => stage(watch(content)));
  } catch (error) {
    if (hasBegun) await countUse(services, use);
    throw error;
  }
}
