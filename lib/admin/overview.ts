import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../db/schema.ts";
import { type Count, count } from "./count.ts";
import { findOldestWaiting, listAlerts, type ListedMail } from "../mail/outbox_list.ts";
import type { Services } from "../services/services.ts";
import { DAY_SECONDS, MINUTE_SECONDS, secondsAfter } from "../duration.ts";
import { listWebhooks } from "../webhooks/webhook.ts";
import { firstIdSince, firstIdWithin } from "./period.ts";

/** Something that someone should look at: how many there are. */
export interface Need {
  kind: "failedEmails" | "waitingEmails" | "webhooks" | "failedLogins";
  count: number;
}

/** What operators see first. */
export interface Overview {
  accounts: Record<"all" | "newThisWeek" | "unverified" | "suspended" | "closing" | "admins", Count>;
  logins: Record<"day" | "week" | "failedDay", Count>;
  emails: { waiting: Count; failed: Count; oldestWaiting: Date | null };
  /** How many people logged in on each of the last days, the oldest first; the last 24 hours are the last day. */
  loginsByDay: number[];
  /** What someone should look at. */
  needs: Need[];
  /** Bytes of the uploaded files. */
  storage: Count;
  /** The newest emails that reported something to the owners of accounts. */
  alerts: ListedMail[];
}

/** Where counting ends. */
const COUNTED = 10_000;
const ALERTS = 8;
/** For how long emails may wait. */
const WAIT_SECONDS = 15 * MINUTE_SECONDS;
/** Fewer failed logins in a day need no one. */
const MANY_FAILED_LOGINS = 100;
const DAYS = 14;

/** Looks at the whole installation. Every query reads a bounded part of an index. */
export async function readOverview({ db, now }: Pick<Services, "db" | "now">): Promise<Overview> {
  const [day, week, month] = (["day", "week", "month"] as const).map((period) => firstIdWithin(period, now()));
  const counted = (from: RawBuilder<unknown>) => count(db, from, COUNTED);
  const users = (where: RawBuilder<unknown>) => counted(sql`users where ${where}`);
  const overview = {
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
    loginsByDay: await countLoginsByDay(db, now()),
    storage: await countBytes(db),
    alerts: await listAlerts(db, { limit: ALERTS }),
  };
  const failing = (await listWebhooks(db)).filter((webhook) => webhook.failingSince ?? webhook.disabledBecause);
  return { ...overview, needs: needsOf(overview, { failingWebhooks: failing.length, now: now() }) };
}

/** Returns what someone should look at. */
function needsOf(
  { emails, logins }: Pick<Overview, "emails" | "logins">,
  { failingWebhooks, now }: { failingWebhooks: number; now: Date },
): Need[] {
  const { oldestWaiting } = emails;
  const isStuck = oldestWaiting !== null && oldestWaiting < secondsAfter(now, -WAIT_SECONDS);
  const failed = logins.failedDay.number;
  const areManyFailed = failed >= MANY_FAILED_LOGINS && failed > logins.day.number;
  const needs: Need[] = [
    { kind: "failedEmails", count: emails.failed.number },
    { kind: "waitingEmails", count: isStuck ? emails.waiting.number : 0 },
    { kind: "webhooks", count: failingWebhooks },
    { kind: "failedLogins", count: areManyFailed ? failed : 0 },
  ];
  return needs.filter(({ count }) => count > 0);
}

/**
 * Counts the logins of each of the last 14 days. Reads only as many as every other count, so that where there are more,
 * the days before are left out.
 */
async function countLoginsByDay(db: Db, now: Date): Promise<number[]> {
  const starts = Array.from({ length: DAYS }, (_, day) => firstIdSince(secondsAfter(now, (day - DAYS) * DAY_SECONDS)));
  const { rows } = await sql<{ day: number; number: number }>`
    select width_bucket(id, ${starts}::text[]) as day, count(*)::int as number from (
      select id from events where kind = 'session.started' and id >= ${starts[0]} order by id desc limit ${COUNTED}
    ) as newest group by day
  `.execute(db);
  const numbers = new Map(rows.map(({ day, number }) => [day - 1, number]));
  const isCut = rows.reduce((sum, { number }) => sum + number, 0) === COUNTED;
  const first = isCut ? Math.min(...numbers.keys()) + 1 : 0;
  return starts.map((_, day) => numbers.get(day) ?? 0).slice(first);
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
