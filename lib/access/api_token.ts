import { sql } from "kysely";
import { type Placeholders, prepare } from "../../db/prepared_query.ts";
import type { Db } from "../../db/schema.ts";
import type { Client } from "../activity/client.ts";
import { type Actor, type NewEvent, recordEvents } from "../activity/events.ts";
import { hashToken } from "../crypto/token.ts";
import { MINUTE_SECONDS, secondsAfter } from "../duration.ts";
import type { TokenEndReason } from "../activity/kinds.ts";
import { ADMIN_SCOPE, type Scope } from "../schemas/scopes.ts";
import type { Services } from "../services/services.ts";
import { countSelected, type RequestWindow } from "../limits/request_window.ts";
import { hasGrant } from "../grants/grant.ts";
import { type User, USER_COLUMNS, userOfRow } from "../users/user_row.ts";
import { isWellFormedToken } from "./token_format.ts";

/** How often a token records that it is in use. */
const USED_INTERVAL_SECONDS = 5 * MINUTE_SECONDS;
const POLICY = "token";
/** The maximum number of suspended users whose tokens one run ends. */
const BATCH_USERS = 100;

/** A valid API token, or the access token of an app, and its user. */
export interface ActiveToken {
  /** For an app, the id of its grant. */
  id: string;
  /** What the token may do. A user who is no longer an admin has lost the scope of admins. */
  scopes: Scope[];
  lastUsedAt: Date | null;
  /** Whether its owner is an admin, whatever the token may do. */
  isOfAdmin: boolean;
  /** Whether an app has it, so that it may do less than a token that its owner has made. */
  isOfApp: boolean;
  /** Whether that app is one of the operator's own. */
  isOfOwnApp: boolean;
  /** Has the role `user`, unless the token has the scope of admins. */
  user: User;
}

/** A valid token, and the window in which this request counts; null if the policy `token` is off. */
export interface PresentedToken {
  token: ActiveToken;
  window: RequestWindow | null;
}

interface TokenValues {
  tokenHash: string;
  now: Date;
}

function tokenQuery(db: Db, { tokenHash, now }: Placeholders<TokenValues>) {
  return db.selectFrom("api_tokens").innerJoin("users", "users.id", "api_tokens.user_id")
    .select(USER_COLUMNS.map((column) => `users.${column}` as const))
    .select(["users.suspended_at", "api_tokens.id as token_id", "api_tokens.scopes", "api_tokens.last_used_at"])
    .where("api_tokens.token_hash", "=", tokenHash).where("api_tokens.expires_at", ">", now);
}

const selectToken = prepare(tokenQuery);

/**
 * Also counts the request, so that a request costs one query. The client does not wait until the count is on the disk:
 * a crash of the database may lose the counts of the last second.
 */
const countAndSelectToken = prepare(
  (db, values: Placeholders<TokenValues & { windowEndsAt: Date }>) => {
    const counting = db.with(
      "counted",
      (db) =>
        countSelected(db, {
          policy: POLICY,
          clients: db.selectFrom("api_tokens").select(sql<string>`'token:' || id`.as("client"))
            .where("token_hash", "=", values.tokenHash).where("expires_at", ">", values.now),
          windowEndsAt: values.windowEndsAt,
          now: values.now,
        }),
    );
    return tokenQuery(counting as unknown as Db, values)
      .innerJoin(sql<RequestWindow>`counted`.as("counted"), (join) => join.onTrue())
      .select(["counted.requests", "counted.window_ends_at"])
      .select(sql`set_config('synchronous_commit', 'off', true)`.as("commit"));
  },
);

/**
 * Finds the token and its user, and counts the request under the policy `token`. Ends the tokens of a user who is
 * suspended or closing, because an operator may have changed that in the database alone.
 *
 * @returns null when the token is malformed, unknown, expired or has ended.
 */
export async function findPresentedToken(services: Services, text: string): Promise<PresentedToken | null> {
  if (!isWellFormedToken(text)) return null;
  const { db, config } = services;
  const now = services.now();
  const values = { tokenHash: hashToken(text), now };
  const limit = config.limits[POLICY];
  const [row] = limit === null
    ? (await selectToken(db, values)).map((row) => ({ ...row, requests: null, window_ends_at: null }))
    : await countAndSelectToken(db, { ...values, windowEndsAt: secondsAfter(now, limit.windowSeconds) });
  if (row === undefined) return null;
  if (row.suspended_at !== null || row.deletion_due_at !== null) {
    await endTokensOfBlocked(services, row);
    return null;
  }
  const { token_id: id, last_used_at: lastUsedAt, requests, window_ends_at } = row;
  const scopes = row.scopes.filter((scope) => scope !== ADMIN_SCOPE || row.role === "admin");
  // Without the scope of admins, a leaked token must not make its holder an admin at products.
  const user: User = { ...userOfRow(row, services), role: scopes.includes(ADMIN_SCOPE) ? "admin" : "user" };
  const isOfAdmin = row.role === "admin";
  return {
    token: { id, scopes, lastUsedAt, isOfAdmin, isOfApp: false, isOfOwnApp: false, user },
    window: requests === null ? null : { requests, window_ends_at },
  };
}

/** Whether the API token, or the grant of the app, has not ended. */
export async function isTokenActive(db: Db, { id, isOfApp }: ActiveToken, now: Date): Promise<boolean> {
  if (isOfApp) return await hasGrant(db, { id, now });
  const row = await db.selectFrom("api_tokens").select("id").where("id", "=", id).where("expires_at", ">", now)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether a token is due to record that it is in use. */
export function isUsedDue({ lastUsedAt }: ActiveToken, now: Date): boolean {
  return lastUsedAt === null || secondsAfter(lastUsedAt, USED_INTERVAL_SECONDS) <= now;
}

/** Records that a token is in use. Of concurrent requests, one writes. */
export async function markUsed({ db, now }: Pick<Services, "db" | "now">, tokenId: string): Promise<void> {
  await db.updateTable("api_tokens").set({ last_used_at: now() }).where("id", "=", tokenId)
    .where((where) =>
      where.or([
        where("last_used_at", "is", null),
        where("last_used_at", "<=", secondsAfter(now(), -USED_INTERVAL_SECONDS)),
      ])
    ).execute();
}

/** Why tokens end, and the client that ends them. */
export interface TokenEnd {
  reason: TokenEndReason;
  /** Null if no request ends them. */
  client: Client | null;
  /** Who ends them, if it is not their owner. */
  by?: Actor;
  /** The session that ends them. */
  sessionId?: string;
  now: Date;
}

/** Ends all tokens of the user, or the one with this id, and records it. Returns their number. */
export async function endTokens(
  db: Db,
  { userId, id }: { userId: string; id?: string },
  { reason, client, by, sessionId, now }: TokenEnd,
): Promise<number> {
  const ended = await db.deleteFrom("api_tokens").where("user_id", "=", userId).where("expires_at", ">", now)
    .$if(id !== undefined, (query) => query.where("id", "=", id!))
    .returning(["id", "name"]).execute();
  // The token in the details is the one that has ended, also if a program acts for an operator.
  const { tokenId: _, ...actor } = by ?? {};
  const events = ended.map(({ id: token, name }): NewEvent => ({
    kind: "token.ended",
    userId,
    client,
    sessionId,
    details: { token, name, reason },
    ...actor,
  }));
  await recordEvents(db, events, now);
  return ended.length;
}

/** Ends the tokens of a user who is suspended or closing. Checks that again, because it may just have changed. */
async function endTokensOfBlocked(
  { db, now: currentTime }: Pick<Services, "db" | "now">,
  { id: userId }: Pick<User, "id">,
): Promise<void> {
  const now = currentTime();
  await db.transaction().execute(async (trx) => {
    const user = await trx.selectFrom("users").select(["suspended_at", "deletion_due_at"]).where("id", "=", userId)
      .forNoKeyUpdate().executeTakeFirst();
    if (user === undefined || (user.suspended_at === null && user.deletion_due_at === null)) return;
    const reason = user.suspended_at === null ? "account_closing" : "account_suspended";
    await endTokens(trx, { userId }, { reason, client: null, now });
  });
}

/** Ends the tokens of users who have been suspended. Returns the number of users. */
export async function endTokensOfSuspended(services: Pick<Services, "db" | "now">): Promise<number> {
  const users = await services.db.selectFrom("users").select("id").where("suspended_at", "is not", null)
    .where((where) => where.exists(where.selectFrom("api_tokens").select("id").whereRef("user_id", "=", "users.id")))
    .limit(BATCH_USERS).execute();
  for (const user of users) await endTokensOfBlocked(services, user);
  return users.length;
}
