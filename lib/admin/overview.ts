import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../db/schema.ts";
import { type Count, count } from "./count.ts";
import { findOldestWaiting, listAlerts, type ListedMail } from "../mail/outbox_list.ts";
import type { Services } from "../services/services.ts";
import { firstIdWithin } from "./period.ts";

/** What operators see first. */
export interface Overview {
  accounts: Record<"all" | "newThisWeek" | "unverified" | "suspended" | "closing" | "admins", Count>;
  logins: Record<"day" | "week" | "failedDay", Count>;
  emails: { waiting: Count; failed: Count; oldestWaiting: Date | null };
  /** Bytes of the uploaded files. */
  storage: Count;
  /** The newest emails that reported something to the owners of accounts. */
  alerts: ListedMail[];
}

/** Where counting ends. */
const COUNTED = 10_000;
const ALERTS = 8;

/** Looks at the whole installation. Every query reads a bounded part of an index. */
export async function readOverview({ db, now }: Pick<Services, "db" | "now">): Promise<Overview> {
  const [day, week, month] = (["day", "week", "month"] as const).map((period) => firstIdWithin(period, now()));
  const counted = (from: RawBuilder<unknown>) => count(db, from, COUNTED);
  const users = (where: RawBuilder<unknown>) => counted(sql`users where ${where}`);
  return {
    accounts: {
      all: await countAll(db, "users"),
      newThisWeek: await users(sql`id >= ${week}`),
      unverified: await users(sql`not email_verified`),
      suspended: await users(sql`suspended_at is not null`),
      closing: await users(sql`deletion_due_at is not null`),
      admins: await users(sql`role = 'admin'`),
    },
    logins: {
      day: await counted(sql`events where kind = 'session.started' and id >= ${day}`),
      week: await counted(sql`events where kind = 'session.started' and id >= ${week}`),
      failedDay: await counted(sql`events where kind = 'login.failed' and id >= ${day}`),
    },
    emails: {
      waiting: await counted(sql`outbox where status = 'pending'`),
      failed: await counted(sql`outbox where status = 'failed' and id >= ${month}`),
      oldestWaiting: await findOldestWaiting(db),
    },
    storage: await countBytes(db),
    alerts: await listAlerts(db, { limit: ALERTS }),
  };
}

/** Counts the rows of a table, or takes the estimate of the database where they are many. */
async function countAll(db: Db, table: "users" | "uploads"): Promise<Count> {
  const counted = await count(db, sql.table(table), COUNTED);
  if (counted.precision === "exact") return counted;
  const { rows: [{ estimate }] } = await sql<{ estimate: number }>`
    select reltuples::float8 as estimate from pg_class where oid = ${table}::regclass
  `.execute(db);
  return estimate > COUNTED ? { number: roundedEstimate(estimate), precision: "about" } : counted;
}

/** Adds the bytes of all files, or estimates them from some where they are many. */
async function countBytes(db: Db): Promise<Count> {
  const uploads = await countAll(db, "uploads");
  const isEstimate = uploads.precision === "about";
  const sample = isEstimate
    ? sql`uploads tablesample system (${sql.lit(Math.min(100, 100 * COUNTED / uploads.number))})`
    : sql`(select state, bytes from uploads limit ${COUNTED}) as uploads`;
  const { rows: [{ sum, mean }] } = await sql<{ sum: number; mean: number }>`
    select coalesce(sum(bytes), 0)::float8 as sum, coalesce(avg(bytes), 0)::float8 as mean from ${sample}
    where state <> 'removing'
  `.execute(db);
  if (isEstimate) return { number: Math.round(mean * uploads.number), precision: "about" };
  return { number: sum, precision: uploads.precision };
}

/** Two digits: more would look like a count. */
function roundedEstimate(estimate: number): number {
  return Number(estimate.toPrecision(2));
}
