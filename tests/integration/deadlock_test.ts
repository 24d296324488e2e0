import { deepStrictEqual, rejects } from "node:assert/strict";
import { Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";
import { openDatabase } from "../../db/connection.ts";
import type { Database, Db } from "../../db/schema.ts";
import { signInWithIdp } from "../../lib/sign_in/providers/idp_login.ts";
import { login } from "../../lib/sign_in/login.ts";
import { issueToken } from "../../lib/mail/links/emailed_token.ts";
import { hashPassword } from "../../lib/crypto/password.ts";
import { resetPassword } from "../../lib/sign_in/password_reset.ts";
import { createUser } from "../../lib/users/user.ts";
import { readSettings } from "../../lib/config/config.ts";
import { secondsAfter } from "../../lib/duration.ts";
import { createMetrics } from "../../lib/metrics/metrics.ts";
import type { Services } from "../../lib/services/services.ts";
import { openLanguages } from "../../lib/texts/languages.ts";
import { PASSWORD } from "../support/app/accounts.ts";
import { SOME_CLIENT } from "../support/app/some_client.ts";
import { startCluster } from "../support/database/postgres_cluster.ts";
import { waitFor } from "../support/wait_for.ts";

const cluster = await startCluster();
// Short, so that even a busy machine detects the deadlock before the statements time out.
const databaseUrl = `${cluster.url}?options=${encodeURIComponent("-c deadlock_timeout=100ms")}`;
const database = await openDatabase({ databaseUrl, directory: "", log: () => {} });
await database.migrate();
Deno.test.afterAll(async () => {
  await database.close();
  await cluster[Symbol.asyncDispose]();
});

Deno.test("a password reset and a provider sign-in of the same user do not deadlock", async () => {
  // Not the connection of the app, which would retry after a deadlock.
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: databaseUrl }) }),
  });
  const now = () => new Date();
  const { languages } = openLanguages({});
  const config = { ...readSettings({}), appSecret: "" };
  const parts = { db, now, languages, requestLanguage: null, config, metrics: createMetrics() };
  const services = parts as Partial<Services> as Services;
  const person = {
    provider: "default",
    subject: "1",
    email: "ada@example.com",
    emailVerified: true,
    name: "Ada",
    picture: null,
    groups: null,
  };
  try {
    const { user } = await signInWithIdp(services, person, SOME_CLIENT);
    const claim = { userId: user.id, now: now(), expiresAt: secondsAfter(now(), 60) };
    const token = await issueToken(db, "password_reset_tokens", claim);
    await issueToken(db, "email_verification_tokens", claim);
    const { email } = user;
    const { public_id: sessionId } = await db.selectFrom("sessions").select("public_id").executeTakeFirstOrThrow();

    const running: Promise<unknown>[] = [];
    await db.transaction().execute(async (trx) => {
      // Stops the reset after it has locked the user and before it locks the session.
      await trx.selectFrom("email_verification_tokens").selectAll().forUpdate().execute();
      running.push(resetPassword(services, { email, token, password: PASSWORD }, SOME_CLIENT));
      await untilWaiting(trx, 1);
      running.push(signInWithIdp(services, person, { ...SOME_CLIENT, presentedSessionIds: [sessionId] }));
      await untilWaiting(trx, 2);
    });
    const results = await Promise.allSettled(running);
    deepStrictEqual(results.map(({ status }) => status), ["fulfilled", "fulfilled"]);
  } finally {
    await db.destroy();
  }
});

Deno.test("a login waits for a password change in progress, then fails", async () => {
  const { db } = database;
  const config = { ...readSettings({}), appSecret: "" };
  const services = { db, now: () => new Date(), config, metrics: createMetrics() } as Services;
  const [oldHash, newHash] = await Promise.all(
    [PASSWORD, "Another-horse-8"].map((each) => hashPassword(each, { iterations: 100_000, owner: "test" })),
  );
  const email = "changing@example.com";
  const { id } = await createUser(
    db,
    { email, name: "Ada", passwordHash: oldHash, emailVisible: true, language: null },
    services.now(),
  );
  await db.updateTable("users").set({ email_verified: true }).where("id", "=", id).execute();

  let loggingIn: Promise<unknown> | undefined;
  await db.transaction().execute(async (trx) => {
    await trx.updateTable("users").set({ password_hash: newHash }).where("id", "=", id).execute();
    loggingIn = login(services, { email, password: PASSWORD }, SOME_CLIENT);
    await Promise.race([untilWaiting(trx, 1), loggingIn]);
  });
  await rejects(loggingIn!, { code: "INVALID_CREDENTIALS" });
});

Deno.test("two transactions that deadlock both succeed", async () => {
  const { db } = database;
  const rows = ["a", "b"].map((client) => ({ policy: "login", client, requests: 0, window_ends_at: new Date() }));
  await db.insertInto("rate_limits").values(rows).execute();
  const started = rows.map(() => Promise.withResolvers<void>());
  const inOrder = (first: number, second: number) =>
    db.transaction().execute(async (trx) => {
      await countAttempt(trx, rows[first].client);
      started[first].resolve();
      await started[second].promise;
      await countAttempt(trx, rows[second].client);
    });
  await Promise.all([inOrder(0, 1), inOrder(1, 0)]);
  const counts = await db.selectFrom("rate_limits").select("requests").where("client", "in", ["a", "b"]).execute();
  deepStrictEqual(counts, [{ requests: 2 }, { requests: 2 }]);
});

async function countAttempt(trx: Db, client: string): Promise<void> {
  await trx.updateTable("rate_limits").set({ requests: sql<number>`requests + 1` })
    .where("client", "=", client).execute();
}

async function untilWaiting(db: Db, count: number): Promise<void> {
  await waitFor(`${count} locks that are not granted`, async () => {
    const { rows } = await sql`select from pg_locks where not granted`.execute(db);
    return rows.length >= count;
  });
}
