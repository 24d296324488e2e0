import { sql } from "kysely";
import type { Config } from "../config.ts";
import { SECOND_MS, secondsAfter } from "../duration.ts";
import { AppError } from "../errors.ts";
import { minutesText } from "../schemas/messages.ts";
import type { Services } from "../services.ts";

/** The name of a limit; the variable LIMIT_<NAME> sets it. */
export type Policy = keyof Config["limits"];

/** What a policy counts requests by. Addresses come before users: rows locked in one order cannot deadlock. */
export const COUNTED_BY: Record<Policy, readonly ("address" | "user")[]> = {
  login: ["address"],
  register: ["address"],
  mail: ["address", "user"],
  presign: ["user"],
  image: ["user"],
};

/** A policy, and the clients that a request is counted for, as the table names them. */
export interface LimitedUse {
  policy: Policy;
  clients: string[];
}

/** The state of a policy; with several clients, that of the one with the fewest requests left. */
export interface RateLimit {
  policy: Policy;
  quota: number;
  windowSeconds: number;
  /** Requests left in the current window. */
  remaining: number;
  /** Seconds until the current window ends, rounded up. */
  resetSeconds: number;
  isExceeded: boolean;
}

/**
 * Counts a request, refused ones too, in one statement, so that instances lose no count. The window is fixed: it starts
 * with its first request.
 *
 * @returns null where the policy is off or there is no client to count for.
 */
export async function countUse(services: Services, { policy, clients }: LimitedUse): Promise<RateLimit | null> {
  const { db, config, now } = services;
  const limit = config.limits[policy];
  if (limit === null || clients.length === 0) return null;
  const windowEndsAt = secondsAfter(now(), limit.windowSeconds);
  const isOver = sql<boolean>`rate_limits.window_ends_at <= ${now()}`;
  const rows = await db.insertInto("rate_limits")
    .values(clients.map((client) => ({ policy, client, requests: 1, window_ends_at: windowEndsAt })))
    .onConflict((conflict) =>
      conflict.columns(["policy", "client"]).doUpdateSet({
        requests: sql<number>`case when ${isOver} then 1 else rate_limits.requests + 1 end`,
        window_ends_at: sql<
          Date
        >`case when ${isOver} then excluded.window_ends_at else rate_limits.window_ends_at end`,
      })
    )
    .returning(["requests", "window_ends_at"]).execute();
  return stateOf(services, { policy, windows: rows });
}

/** Reads what {@linkcode countUse} would return, without counting. */
export async function findRateLimit(services: Services, { policy, clients }: LimitedUse): Promise<RateLimit | null> {
  const { db, config, now } = services;
  const limit = config.limits[policy];
  if (limit === null || clients.length === 0) return null;
  const rows = await db.selectFrom("rate_limits").select(["requests", "window_ends_at"])
    .where("policy", "=", policy).where("client", "in", clients).where("window_ends_at", ">", now()).execute();
  const unused = { requests: 0, window_ends_at: secondsAfter(now(), limit.windowSeconds) };
  return stateOf(services, { policy, windows: rows.length === 0 ? [unused] : rows });
}

/**
 * The error of a request beyond its limit. The one of a login names the whole window. Source: spec, Limits.
 */
export function rateLimited({ policy, windowSeconds, resetSeconds }: RateLimit): AppError {
  const message = policy === "login"
    ? `Too many login attempts. Please try again in ${minutesText(windowSeconds)}`
    : `Too many requests. Try again in ${minutesText(resetSeconds)}`;
  return new AppError("RATE_LIMITED", message, { retryAfterSeconds: resetSeconds });
}

function stateOf(
  { config, now }: Services,
  { policy, windows }: { policy: Policy; windows: { requests: number; window_ends_at: Date }[] },
): RateLimit {
  const { quota, windowSeconds } = config.limits[policy]!;
  const mostRequests = Math.max(...windows.map(({ requests }) => Math.min(requests, quota)));
  const fullest = windows.filter(({ requests }) => requests >= mostRequests);
  const lastEnd = Math.max(...fullest.map(({ window_ends_at }) => window_ends_at.getTime()));
  return {
    policy,
    quota,
    windowSeconds,
    remaining: quota - mostRequests,
    resetSeconds: Math.ceil((lastEnd - now().getTime()) / SECOND_MS),
    isExceeded: windows.some(({ requests }) => requests > quota),
  };
}
