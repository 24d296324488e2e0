import { type Expression, type QueryCreator, type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import type { Database, Db } from "../../db/schema.ts";
import { secondsAfter } from "../duration.ts";

/** A request to count for each of its clients. */
export interface CountedRequest {
  policy: string;
  clients: readonly string[];
  windowSeconds: number;
  now: Date;
}

/** The requests of a client, including this one, in a window that starts with its first request. */
export interface RequestWindow {
  /** Undefined where the caller knows it. */
  client?: string;
  requests: number;
  window_ends_at: Date;
}

/** Counts a request, in one statement, so that concurrent instances count every request. */
export async function countInWindow(
  db: Db,
  { policy, clients, windowSeconds, now }: CountedRequest,
): Promise<RequestWindow[]> {
  const windowEndsAt = secondsAfter(now, windowSeconds);
  return await db.insertInto("rate_limits")
    .values(clients.map((client) => ({ policy, client, requests: 1, window_ends_at: windowEndsAt })))
    .onConflict((conflict) => conflict.columns(["policy", "client"]).doUpdateSet(oneMore(now)))
    .returning(["client", "requests", "window_ends_at"]).execute();
}

/** Returns the statement that counts a request for each client that a query names, as a part of a larger statement. */
export function countSelected(
  db: QueryCreator<Database>,
  { policy, clients, windowEndsAt, now }: {
    policy: string;
    clients: SelectQueryBuilder<Database, keyof Database, { client: string }>;
    windowEndsAt: Expression<Date>;
    now: Expression<Date>;
  },
) {
  const rows = db.selectFrom(clients.as("clients")).select(({ lit }) => [
    sql.lit(policy).as("policy"),
    "client",
    lit(1).as("requests"),
    sql<Date>`${windowEndsAt}::timestamptz`.as("window_ends_at"),
  ]);
  return db.insertInto("rate_limits").columns(["policy", "client", "requests", "window_ends_at"]).expression(rows)
    .onConflict((conflict) => conflict.columns(["policy", "client"]).doUpdateSet(oneMore(now)))
    .returning(["requests", "window_ends_at"]);
}

/** Forgets the requests of these clients, of some policies or of all. */
export async function forgetRequests(db: Db, clients: readonly string[], policies?: string[]): Promise<void> {
  await db.deleteFrom("rate_limits").where("client", "in", clients)
    .$if(policies !== undefined, (query) => query.where("policy", "in", policies!)).execute();
}

/** The columns of a window after one more request. A window that has ended starts again. */
function oneMore(now: unknown): { requests: RawBuilder<number>; window_ends_at: RawBuilder<Date> } {
  const isOver = sql<boolean>`rate_limits.window_ends_at <= ${now}`;
  return {
    requests: sql<number>`case when ${isOver} then 1 else rate_limits.requests + 1 end`,
    window_ends_at: sql<Date>`case when ${isOver} then excluded.window_ends_at else rate_limits.window_ends_at end`,
  };
}

/** The requests of a client that count at present. */
export interface OpenWindow {
  policy: string;
  /** As the table names it. */
  client: string;
  requests: number;
  endsAt: Date;
}

/** Lists the windows of these clients that have not ended. */
export async function listWindows(db: Db, { clients, now }: { clients: string[]; now: Date }): Promise<OpenWindow[]> {
  const rows = await db.selectFrom("rate_limits").select(["policy", "client", "requests", "window_ends_at"])
    .where("client", "in", clients).where("window_ends_at", ">", now).orderBy("policy").orderBy("client").execute();
  return rows.map(({ window_ends_at: endsAt, ...row }) => ({ ...row, endsAt }));
}
