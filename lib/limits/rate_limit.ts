import { sql } from "kysely";
import { type Placeholders, prepare } from "../../db/prepared_query.ts";
import { SECOND_MS, secondsAfter } from "../duration.ts";
import { AppError } from "../errors/errors.ts";
import { errorFields } from "../log/log.ts";
import type { Services } from "../services/services.ts";
import type { Policy } from "../config/limits.ts";
import { countInWindow, type RequestWindow } from "./request_window.ts";

/** A policy and the clients for which a request counts, as the table names them. */
export interface LimitedUse {
  policy: Policy;
  clients: readonly string[];
}

/** Starts the names of clients that are whole /48 networks. */
export const SITE_CLIENT = "site:";
/** Such a network has ten times the quota of an address. */
export const ADDRESSES_PER_SITE = 10;

/** The state of a policy. With several clients, it is that of the client with the fewest requests left. */
export interface RateLimit {
  policy: Policy;
  quota: number;
  windowSeconds: number;
  /** Requests left in the current window. */
  remaining: number;
  /** Seconds until the current window ends, rounded up. */
  resetSeconds: number;
  /** When the last of the windows ends. */
  endsAt: Date;
  isExceeded: boolean;
}

/**
 * Counts a request, including one that exceeds the limit. The window is fixed and starts with its first request.
 *
 * @returns null when the policy is off or there is no client to count for.
 */
export async function countUse(services: Services, { policy, clients }: LimitedUse): Promise<RateLimit | null> {
  const { db, config, now } = services;
  const limit = config.limits[policy];
  if (limit === null || clients.length === 0) return null;
  const { windowSeconds } = limit;
  const windows = await countInWindow(db, { policy, clients, windowSeconds, now: now() });
  return toRateLimit(services, { policy, windows });
}

/**
 * An attempt that has been counted, so that concurrent ones cannot exceed the limit. Its end takes it back unless it
 * failed.
 */
export interface CountedAttempt extends AsyncDisposable {
  /** Whether it counts. Set it as soon as this is known. */
  hasFailed: boolean;
}

/**
 * Counts an attempt before it is judged, because only failures are to count. Clients that are over the limit are
 * refused first, without a lock: even a flood of their requests holds up no one.
 *
 * @throws {AppError} RATE_LIMITED.
 */
export async function countAttempt(services: Services, use: LimitedUse): Promise<CountedAttempt> {
  const before = await findRateLimit(services, use);
  if (before?.remaining === 0) throw rateLimited(before);
  const limit = await countUse(services, use);
  if (limit?.isExceeded) {
    // It was not judged. Otherwise a burst of right ones would lock the client out.
    await uncountUse(services, use, limit.endsAt);
    throw rateLimited(limit);
  }
  const attempt: CountedAttempt = {
    hasFailed: false,
    async [Symbol.asyncDispose]() {
      if (limit !== null && !attempt.hasFailed) await uncountSuccess(services, use, limit.endsAt);
    },
  };
  return attempt;
}

/** Takes back a request that was counted earlier, once it has succeeded. Does nothing if its window has ended. */
export async function takeBack(services: Services, use: LimitedUse, countedAt: Date): Promise<void> {
  const limit = services.config.limits[use.policy];
  if (limit !== null) await uncountSuccess(services, use, secondsAfter(countedAt, limit.windowSeconds));
}

/** The result of a request matters more than a count that is too high. */
async function uncountSuccess(services: Services, use: LimitedUse, endsAt: Date): Promise<void> {
  await uncountUse(services, use, endsAt).catch((error) =>
    services.log("warn", "an attempt was not taken back", errorFields(error))
  );
}

/**
 * Takes back one counted request, which turned out not to count. Locks the rows in the order in which they are counted.
 *
 * @param endsAt the end of the window in which it was counted. A window that ends later began after it.
 */
async function uncountUse({ db, now }: Services, { policy, clients }: LimitedUse, endsAt: Date): Promise<void> {
  const locked = db.selectFrom("rate_limits").select("client")
    .where("policy", "=", policy).where("client", "in", clients)
    .where("window_ends_at", ">", now()).where("window_ends_at", "<=", endsAt)
    .where("requests", ">", 0).orderBy("client").forUpdate();
  await db.with("locked", () => locked).updateTable("rate_limits").from("locked")
    .set((eb) => ({ requests: eb("requests", "-", 1) }))
    .where("policy", "=", policy).whereRef("rate_limits.client", "=", "locked.client").execute();
}

/** Returns the state of the limit without counting a request. */
export async function findRateLimit(services: Services, { policy, clients }: LimitedUse): Promise<RateLimit | null> {
  const { db, config, now } = services;
  const limit = config.limits[policy];
  if (limit === null || clients.length === 0) return null;
  const rows = await selectWindows(db, { policy, clients, now: now() });
  const unused = { client: "", requests: 0, window_ends_at: secondsAfter(now(), limit.windowSeconds) };
  return toRateLimit(services, { policy, windows: rows.length === clients.length ? rows : [...rows, unused] });
}

const selectWindows = prepare((db, { policy, clients, now }: Placeholders<LimitedUse & { now: Date }>) =>
  db.selectFrom("rate_limits").select(["client", "requests", "window_ends_at"])
    .where("policy", "=", policy).where("client", "=", sql<string>`any(${clients}::text[])`)
    .where("window_ends_at", ">", now)
);

/**
 * Returns the error for a request that exceeds its limit. For logins it names the whole window. Source: docs/rules.md,
 * Login limit.
 */
export function rateLimited(limit: RateLimit): AppError {
  const { policy, windowSeconds, resetSeconds } = limit;
  return policy === "login"
    ? new AppError("RATE_LIMITED", { reason: "login", windowSeconds, retryAfterSeconds: resetSeconds, cause: limit })
    : new AppError("RATE_LIMITED", { reason: "requests", retryAfterSeconds: resetSeconds, cause: limit });
}

/** Returns the limit that has refused a request, from its error. Undefined for errors that no policy has caused. */
export function refusingLimit(error: AppError): RateLimit | undefined {
  return error.is("RATE_LIMITED") ? error.cause as RateLimit | undefined : undefined;
}

/** Returns the state of a policy after its requests have been counted. */
export function toRateLimit(
  { config, now }: Pick<Services, "config" | "now">,
  { policy, windows }: { policy: Policy; windows: RequestWindow[] },
): RateLimit {
  const { quota, windowSeconds } = config.limits[policy]!;
  const states = windows.map(({ client, requests, window_ends_at }) => ({
    left: (client?.startsWith(SITE_CLIENT) ? quota * ADDRESSES_PER_SITE : quota) - requests,
    endsAt: window_ends_at.getTime(),
  }));
  const remaining = Math.max(0, Math.min(quota, ...states.map(({ left }) => left)));
  const fullest = states.filter(({ left }) => left <= remaining);
  const lastEnd = Math.max(...fullest.map(({ endsAt }) => endsAt));
  return {
    policy,
    quota,
    windowSeconds,
    remaining,
    resetSeconds: Math.ceil((lastEnd - now().getTime()) / SECOND_MS),
    endsAt: new Date(Math.max(...states.map(({ endsAt }) => endsAt))),
    isExceeded: states.some(({ left }) => left < 0),
  };
}
