import { isIP } from "node:net";
import type { Db } from "../../db/schema.ts";
import { type Actor, recordEvent } from "../activity/events.ts";
import { AppError } from "../errors/errors.ts";
import { clientsOfUser, emailClient } from "../limits/counted_clients.ts";
import { ADDRESSES_PER_SITE, SITE_CLIENT } from "../limits/rate_limit.ts";
import { forgetRequests, listWindows, type OpenWindow } from "../limits/request_window.ts";
import { ALERT_KINDS, MAIL_KINDS } from "../mail/kinds.ts";
import { mailLimit } from "../mail/mail_limits.ts";
import { Email } from "../schemas/user.ts";
import type { Services } from "../services/services.ts";
import { getAccountId, reasonIn } from "./locked_account.ts";

/** Requests that count against a limit. */
export interface LimitInForce extends Omit<OpenWindow, "client"> {
  /** What it counts by. */
  by: "address" | "network" | "account" | "unknown browsers" | "token" | "email";
  /** Null unless it counts by address or network. */
  address: string | null;
  /** How many are allowed; null if the limit has no fixed number. */
  quota: number | null;
  /** Whether the next request is refused. */
  isReached: boolean;
}

const COUNTED_BY: Record<string, LimitInForce["by"]> = {
  address: "address",
  site: "network",
  user: "account",
  unknown: "unknown browsers",
  token: "token",
  email: "email",
};

/**
 * Lists what counts against the limits of an account, of an email address without one, or of a client address as events
 * and the log show it.
 *
 * @throws {AppError} NOT_FOUND for an unknown id.
 */
export async function listLimits(services: Services, target: string): Promise<LimitInForce[]> {
  const { clients } = await findTarget(services.db, target);
  return await limitsOf(services, clients);
}

/**
 * Forgets what counts against these limits. The event says so, because it allows more guesses.
 *
 * @returns what was forgotten.
 * @throws {AppError} NOT_FOUND for an unknown id.
 */
export async function clearLimits(
  services: Services,
  { who, by, reason }: { who: string; by: Actor; reason?: string },
): Promise<LimitInForce[]> {
  const now = services.now();
  return await services.db.transaction().execute(async (trx) => {
    const { clients, userId = null, address } = await findTarget(trx, who);
    const cleared = await limitsOf({ ...services, db: trx }, clients);
    if (cleared.length === 0) return cleared;
    await forgetRequests(trx, clients);
    const details = { limits: [...new Set(cleared.map(({ policy }) => policy))], ...reasonIn({ reason }) };
    // Like other client addresses, this one is erased after ADDRESSES_KEPT_DAYS.
    const client = address === undefined ? by.client : { address, userAgent: null };
    await recordEvent(trx, { kind: "limits.cleared", ...by, userId, client, details }, now);
    return cleared;
  });
}

/** Returns what counts by client addresses, as the table names these. */
export function clientsOfAddresses(addresses: string[]): string[] {
  return addresses.flatMap((
    address,
  ) => [`address:${address}`, ...address.includes(":") ? [siteClientOf(address)] : []]);
}

/** Returns what counts by an account, its address and its tokens, as the table names these. */
export async function clientsOfAccount(db: Db, user: { id: string; email: string }): Promise<string[]> {
  const tokens = await db.selectFrom("api_tokens").select("id").where("user_id", "=", user.id).execute();
  return [...clientsOfUser(user), ...tokens.map((token) => `token:${token.id}`)];
}

/** Lists what counts against the limits of these clients. */
export async function limitsOf(services: Services, clients: string[]): Promise<LimitInForce[]> {
  const windows = await listWindows(services.db, { clients, now: services.now() });
  return windows.map(({ client, ...window }) => {
    const [kind, address] = [client.slice(0, client.indexOf(":")), client.slice(client.indexOf(":") + 1)];
    const base = quotaOf(services, window.policy);
    const quota = base !== null && client.startsWith(SITE_CLIENT) ? base * ADDRESSES_PER_SITE : base;
    return {
      ...window,
      by: COUNTED_BY[kind] ?? "account",
      address: kind === "address" || kind === "site" ? address : null,
      quota,
      isReached: quota !== null && window.requests >= quota,
    };
  });
}

function quotaOf({ config }: Services, policy: string): number | null {
  if (policy in config.limits) return config.limits[policy as keyof typeof config.limits]?.quota ?? null;
  // Alerts have a limit of their own.
  const kind = MAIL_KINDS.find((kind) => kind === policy && !(ALERT_KINDS as string[]).includes(kind));
  return kind === undefined ? null : mailLimit(kind, config)?.quota ?? null;
}

/** What counts, and whose it is: that of an account, or of a client address. */
interface Target {
  clients: string[];
  userId?: string;
  address?: string;
}

async function findTarget(db: Db, target: string): Promise<Target> {
  if (isIP(target)) return { clients: clientsOfAddresses([target]), address: target };
  const email = Email.safeParse(target.trim());
  try {
    const id = await getAccountId(db, target);
    const row = await db.selectFrom("users").select(["id", "email"]).where("id", "=", id).executeTakeFirstOrThrow();
    return { clients: await clientsOfAccount(db, row), userId: id };
  } catch (error) {
    // Wrong passwords also count for addresses without an account.
    if (email.success && error instanceof AppError) return { clients: [emailClient(email.data)] };
    throw error;
  }
}

/** The /48 network of an IPv6 address as the limits name it: a /64 network, shortened. */
function siteClientOf(address: string): string {
  const [a, b = "0", c = "0"] = address.split("::")[0].split(":");
  return `${SITE_CLIENT}${new URL(`http://[${a}:${b}:${c}::]`).hostname.slice(1, -1)}`;
}
