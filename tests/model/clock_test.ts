import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { sql } from "kysely";
import { TABLES } from "../../db/schema.ts";
import { deleteDueAccounts } from "../../lib/accounts/account_deletion.ts";
import { COMMAND_LINE } from "../../lib/activity/events.ts";
import { endTokensOfSuspended } from "../../lib/access/api_token.ts";
import { discardSigningKeys, getSigningKey, renewSigningKeys } from "../../lib/access/signing_keys.ts";
import { announceSecondFactorDates } from "../../lib/access/second_factor_notice.ts";
import { sendTokenReminders } from "../../lib/access/token_reminder.ts";
import { DAY_SECONDS } from "../../lib/duration.ts";
import { sweepLogouts } from "../../lib/grants/logout_delivery.ts";
import { sweepMissingClients } from "../../lib/grants/missing_client.ts";
import { resealAll } from "../../lib/installation/secrets.ts";
import { sweepExpiredRows } from "../../lib/jobs/expired_rows.ts";
import { runDueFactorResets } from "../../lib/sign_in/second_factor/factor_reset.ts";
import { sweepUploads } from "../../lib/uploads/due_uploads.ts";
import { sweepStore } from "../../lib/uploads/store_sweep.ts";
import { createWebhook, sweepDeletedWebhooks } from "../../lib/webhooks/webhook.ts";
import { createWebhookDispatcher } from "../../lib/webhooks/webhook_queue.ts";
import { logIn, type Registered, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { createToken } from "../support/app/api_tokens.ts";
import { exchange, giveCode, openAuthorizationApp } from "../support/app/authorization.ts";
import { addPasskey } from "../support/app/passkeys.ts";
import { type AuthenticatorApp, enableTotp, startLogin } from "../support/app/second_factor.ts";
import type { TestClient } from "../support/app/test_client.ts";
import { uploaderOf } from "../support/uploads/upload_world.ts";

/** Ten years with three leap days. */
const WEEKS = 522;
const WEEKS_BETWEEN_SECRETS = 26;
/** When a closed account has been deleted, and its traces begin to go. */
const WEEKS_OF_MEMBERSHIP = 4;
/** Everything that has a period has reached it: the longest are 400 days. */
const SETTLED_WEEKS = 110;

/** What docs/privacy.md promises to be gone, and after which time at the latest. A week passes between two looks. */
const PROMISED: [what: string, days: number][] = [
  ["events where created_at", 400],
  ["events where client_address is not null and created_at", 90],
  ["outbox where created_at", 30],
  ["webhook_deliveries where queued_at", 30],
  ["devices where expires_at - interval '400 days'", 400],
  ["deleted_accounts where deleted_at", 90],
  ["users where not email_verified and created_at", 30],
  ["sessions where last_seen_at", 7],
  ["password_reset_tokens where expires_at", 1],
  ["emailed_codes where expires_at", 1],
  ["device_codes where created_at", 1],
  ["submissions where expires_at", 1],
  ["provider_attempts where expires_at", 1],
  ["second_step_challenges where expires_at", 1],
  ["logout_deliveries where queued_at", 1],
];

const app = await openAuthorizationApp({ SIGN_IN_CODES: "true" });
const { services } = app;
const { db, config } = services;
Object.assign(services, { webhooks: { post: () => Promise.resolve(204), mayPost: () => Promise.resolve(true) } });

/** Runs what the background runs, until nothing is left to do. */
async function runBackground(): Promise<void> {
  const webhooks = createWebhookDispatcher(services);
  while (await app.deliverMails() + await webhooks.dispatch() > 0) await webhooks.waitUntilIdle();
  await webhooks.waitUntilIdle();
  const jobs = [
    deleteDueAccounts,
    runDueFactorResets,
    announceSecondFactorDates,
    endTokensOfSuspended,
    sendTokenReminders,
    sweepUploads,
    sweepStore,
    sweepMissingClients,
    sweepExpiredRows,
    sweepDeletedWebhooks,
    sweepLogouts,
    renewSigningKeys,
  ];
  for (const job of jobs) while (await job(services) > 0);
}

type Member = Registered & { totp: AuthenticatorApp };

/** Someone joins, uses everything, and closes the account some weeks later. */
async function join(week: number): Promise<Member> {
  const person = await registerVerifiedUser(app, `person${week}@example.com`);
  await addPasskey(person.client);
  const totp = await enableTotp(app, person.client);
  await createToken(person.client);
  await uploaderOf(app, person).store("hello");
  await exchange(app, await giveCode(app, person.client, "phone", { scopes: ["openid", "offline_access"] }));
  await registerUser(app, `never${week}@example.com`); // and never confirms the address
  return { ...person, totp };
}

/** What people do without getting to the end. */
async function leaveLooseEnds(email: string): Promise<void> {
  const guest = app.client();
  await logIn(guest, email, "Wrong-horse-7");
  await guest.send("POST", "/auth/forgot-password", { email });
  await guest.send("POST", "/auth/code", { email });
  await startLogin(app, email, app.client());
  await guest.request("/oauth/device_authorization", {
    method: "POST",
    body: new URLSearchParams({ client_id: "phone" }),
  });
}

async function leave(member: Member): Promise<void> {
  const client = await logInTwice(member);
  const response = await client.request("/api/account", { method: "DELETE" });
  strictEqual(response.status, 202, await response.text());
}

/** Logs in with the password and the authenticator app. */
async function logInTwice({ email, totp }: Pick<Member, "email" | "totp">): Promise<TestClient> {
  const client = await startLogin(app, email);
  const response = await client.send("POST", "/auth/second-factor", { code: totp.code() });
  strictEqual(response.status, 200, await response.text());
  return client;
}

async function countRows(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of Object.keys(TABLES)) {
    const { rows: [{ count }] } = await sql<{ count: number }>`select count(*)::int as count from ${sql.table(table)}`
      .execute(db);
    counts[table] = count;
  }
  return counts;
}

/** Returns what is still there although it should be gone. */
async function brokenPromises(): Promise<string[]> {
  const broken: string[] = [];
  for (const [what, days] of PROMISED) {
    const end = new Date(services.now().getTime() - days * DAY_SECONDS * 1_000).toISOString();
    const { rows: [{ count }] } = await sql<{ count: number }>`
      select count(*)::int as count from ${sql.raw(what)} < ${end}
    `.execute(db);
    if (count > 0) broken.push(`${count} ${what} before ${end}`);
  }
  return broken;
}

Deno.test("in ten years, every period of docs/privacy.md holds, no table grows without bound, and all ways in work", async () => {
  await createWebhook(services, { url: "https://hooks.example.com/", kinds: ["session.started"], by: COMMAND_LINE });
  const ada = await registerVerifiedUser(app, "ada@example.com");
  const totp = await enableTotp(app, ada.client);
  const members: Member[] = [];
  const largest: Record<string, number> = {};
  const keys = new Set<string>();
  const secrets = new Set<string>();
  for (let week = 0; week < WEEKS; week++) {
    members.push(await join(week));
    await leaveLooseEnds(members.at(-1)!.email);
    await logInTwice({ ...ada, totp });
    if (members.length > WEEKS_OF_MEMBERSHIP) await leave(members.shift()!);
    if (week % WEEKS_BETWEEN_SECRETS === WEEKS_BETWEEN_SECRETS - 1) {
      config.previousAppSecrets = [config.appSecret];
      config.appSecret = `the secret of week ${week}, 32 bytes at least`;
      deepStrictEqual((await resealAll(services)).unreadable, []);
      config.previousAppSecrets = [];
    }
    secrets.add(config.appSecret);
    await discardSigningKeys(db);
    keys.add((await getSigningKey(services, "ES256")).id);
    app.advance(7 * DAY_SECONDS);
    await runBackground();
    deepStrictEqual(await brokenPromises(), [], `week ${week}`);
    const counts = await countRows();
    for (const [table, count] of Object.entries(counts)) {
      const before = largest[table] ?? 0;
      if (week < SETTLED_WEEKS) largest[table] = Math.max(before, count);
      else ok(count <= before * 1.2 + 3, `${table} has ${count} rows in week ${week}, ${before} before`);
    }
    app.mails.length = 0;
    app.logLines.length = 0;
  }
  ok(keys.size >= 500 && secrets.size >= 20, `${keys.size} keys, ${secrets.size} secrets`);
  strictEqual(services.now().getFullYear(), 2036);
  console.log(largest);
});
