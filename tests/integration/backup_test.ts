import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { sql } from "kysely";
import { getSigningKey } from "../../lib/access/signing_keys.ts";
import { COMMAND_LINE } from "../../lib/activity/events.ts";
import { createLoginLink } from "../../lib/admin/login_link.ts";
import { writeNextEvent } from "../../lib/activity/audit_log.ts";
import { TABLES } from "../../db/schema.ts";
import { exportBackup } from "../../lib/installation/backup/export.ts";
import { reportExport, reportImport } from "../../lib/installation/backup/reports.ts";
import { restoreBackup, type RestoreOptions } from "../../lib/installation/backup/restore.ts";
import { deleteDueAccounts } from "../../lib/accounts/account_deletion.ts";
import { DAY_SECONDS, secondsAfter } from "../../lib/duration.ts";
import { sweepExpiredRows } from "../../lib/jobs/expired_rows.ts";
import { createWebhook } from "../../lib/webhooks/webhook.ts";
import { mailedToken, PASSWORD, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { createToken } from "../support/app/api_tokens.ts";
import { addPasskey, requestOptions, sendCredential } from "../support/app/passkeys.ts";
import { enableTotp, startLogin } from "../support/app/second_factor.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import { describeTables, dumpRows, openEmbeddedDatabase, rewriteBackup } from "../support/database/backups.ts";
import { withFolder } from "../support/database/engines.ts";
import { sweepAllUploads, uploaderOf } from "../support/uploads/upload_world.ts";
import { waitFor } from "../support/wait_for.ts";

const app = await openSharedTestApp({ TOKEN_AUDIENCES: "wiki", LOGIN_MAX_ATTEMPTS: "0" });
const { services, database } = app;
const { db, config } = services;
const GRANT_TABLES = ["consents", "device_codes", "grants", "logout_deliveries", "missing_clients"];
const WEBHOOK_TABLES = ["webhooks", "webhook_secrets", "webhook_deliveries"];
/** Columns that migration 0040 or a later one has added. */
const NEWER_COLUMNS = [
  "actor",
  "answer",
  "groups",
  "link_number",
  "registration_language",
  "request_id",
  "second_factor",
  "sent_at",
  "suspension_reason",
  "transaction_id",
  "recipient_hash",
  "is_sending",
  "second_factor_due_at",
  "second_factor_extended_until",
  "second_factor_announced_at",
  "last_proof",
  "trust_id",
  "trusted_at",
  "trusted_until",
  "trusted_agent",
  "link_hash",
  "request_hash",
  "link_next",
];
const FORMER = config.appSecret;
await emptyLikeNew();
const NOBODY = await dumpRows(db);
const TABLES_AS_MIGRATED = await describeTables(db);

Deno.test.beforeEach(async () => {
  await emptyLikeNew();
  app.mails.length = 0;
  Object.assign(config, { appSecret: FORMER, previousAppSecrets: [] });
});

/** Empties the database, as a new one would be, and restores into it. */
async function restore(file: string, options: Partial<RestoreOptions> = {}) {
  await emptyLikeNew();
  return await restoreBackup(services, { file, isMove: false, ...options });
}

async function emptyLikeNew(): Promise<void> {
  await database.empty();
  for (const table of ["store_sweep", "audit_position"]) {
    await sql`insert into ${sql.table(table)} default values`.execute(db);
  }
}

/** Someone with everything that an account can have. Each way in is checked afterward. */
async function registerAda() {
  const { client, email, id } = await registerVerifiedUser(app, "ada@example.com");
  const { authenticator } = await addPasskey(client);
  const totp = await enableTotp(app, client);
  const { headers } = await createToken(client);
  const { key } = await uploaderOf(app, { client, email, id }).store("hello");
  await getSigningKey(services, "ES256");
  return { client, email, id, authenticator, totp, headers, key };
}

/** Fails unless the password with the app's code, the passkey and the API token of Ada work, and her file is there. */
async function requireAllWays(
  { email, id, authenticator, totp, headers, key }: Awaited<ReturnType<typeof registerAda>>,
) {
  const login = await startLogin(app, email);
  strictEqual((await login.send("POST", "/auth/second-factor", { code: totp.code() })).status, 200);
  const guest = app.client();
  const proof = await sendCredential(guest, await authenticator.get(await requestOptions(guest)));
  strictEqual(proof.status, 200);
  strictEqual((await (await app.client().get("/api/profile", headers)).json()).user.id, id);
  const { data: [file] } = await (await app.client().get("/api/uploads", headers)).json();
  strictEqual(file.key, key);
  strictEqual(await (await app.client().get(new URL(file.url).pathname)).text(), "hello");
}

Deno.test("every table is in the list of backups, in an order that foreign keys allow", async () => {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables
    where schemaname = 'public' and tablename not like 'kysely%' and tablename <> 'login_attempts'
  `.execute(db);
  deepStrictEqual(Object.keys(TABLES).sort(), rows.map(({ name }) => name).sort());
  const { rows: keys } = await sql<{ from: string; to: string }>`
    select conrelid::regclass::text as from, confrelid::regclass::text as to from pg_constraint where contype = 'f'
  `.execute(db);
  const place = (table: string) => Object.keys(TABLES).indexOf(table);
  ok(keys.length > 10);
  for (const { from, to } of keys) ok(place(to) < place(from), `${from} refers to ${to}`);
});

Deno.test("a move through the embedded engine keeps every row, and everything goes on", () =>
  withFolder(async (folder) => {
    const webhook = { url: "https://hooks.example.com/", kinds: ["session.started" as const], by: COMMAND_LINE };
    await createWebhook(services, webhook);
    const ada = await registerAda();
    const { email: waiting } = await registerUser(app, "grace@example.com");
    await sql`update users set idp_id = id, updated_at = '2026-01-02 03:04:05.678901Z'`.execute(db);
    await sql`insert into posts (title, content, author_id, created_at) values ('a\n\\', '"€\u2028', ${ada.id}, now())`
      .execute(db);
    const before = await dumpRows(db);
    await exportBackup(services, { file: `${folder}/1.tar` });
    await using other = { ...await openEmbeddedDatabase(), [Symbol.asyncDispose]: () => other.close() };
    const otherServices = { ...services, db: other.db, longWork: other.longWork };
    await restoreBackup(otherServices, { file: `${folder}/1.tar`, isMove: true });
    deepStrictEqual(await dumpRows(other.db), before);
    deepStrictEqual(await describeTables(other.db), TABLES_AS_MIGRATED);
    await exportBackup(otherServices, { file: `${folder}/2.tar` });
    await restore(`${folder}/2.tar`, { isMove: true });
    deepStrictEqual(await dumpRows(db), before);
    deepStrictEqual(await describeTables(db), TABLES_AS_MIGRATED);

    strictEqual((await ada.client.get("/api/profile")).status, 200, "the session goes on");
    await requireAllWays(ada);
    await app.deliverMails();
    ok(app.mails.some(({ to }) => to === waiting), "the email is sent");
    const post = { title: "b", content: "", author_id: ada.id, created_at: services.now() };
    const { id } = await db.insertInto("posts").values(post).returning("id").executeTakeFirstOrThrow();
    strictEqual(id, 2, "numbers go on");
    await sql`update users set idp_id = 'changed' where id = ${ada.id}`.execute(db);
    const identity = await db.selectFrom("identities").select("subject").where("user_id", "=", ada.id).execute();
    deepStrictEqual(identity, [{ subject: "changed" }], "triggers work again");
  }));

Deno.test("a restore ends sessions, links and emails that waited, and all ways to log in work", () =>
  withFolder(async (folder) => {
    const ada = await registerAda();
    await app.deliverMails(); // alerts come after the emails that people wait for, and have links too
    await ada.client.send("POST", "/auth/forgot-password", { email: ada.email });
    const token = await mailedToken(app, ada.email);
    await registerUser(app, "grace@example.com");
    await exportBackup(services, { file: `${folder}/a.tar` });
    app.mails.length = 0;
    await restore(`${folder}/a.tar`);
    strictEqual((await ada.client.get("/api/profile")).status, 401);
    const body = { email: ada.email, token, password: "Another-horse-8" };
    strictEqual((await app.client().send("POST", "/auth/reset-password", body)).status, 400);
    await app.deliverMails();
    deepStrictEqual(app.mails, []);
    await requireAllWays(ada);
    const { rows_since: rowsSince } = await db.selectFrom("store_sweep").select("rows_since").executeTakeFirstOrThrow();
    deepStrictEqual(rowsSince, services.now(), "newer objects are not deleted");
  }));

Deno.test("an invitation can still be accepted after a restore, whether it sets a password or logs in", () =>
  withFolder(async (folder) => {
    const host = await registerVerifiedUser(app, "host@example.com");
    const invite = async (email: string) => {
      strictEqual((await host.client.send("POST", "/api/users", { name: "Guest", email })).status, 201);
      return { email, token: await mailedToken(app, email) };
    };
    const invited = await invite("invited@example.com");
    const { passwords } = config;
    config.passwords = "existing";
    const withoutPassword = await invite("link@example.com");
    config.passwords = passwords;
    const accepted = await invite("accepted@example.com");
    const accept = { ...accepted, password: PASSWORD };
    const { email } = host;
    const { link } = await createLoginLink(services, { who: email, by: COMMAND_LINE });
    const printed = { email, token: new URL(link).searchParams.get("token")! };
    strictEqual((await app.client().send("POST", "/auth/reset-password", accept)).status, 200);
    await exportBackup(services, { file: `${folder}/a.tar` });
    await restore(`${folder}/a.tar`);
    const post = async (path: string, body: unknown) => (await app.client().send("POST", path, body)).status;
    strictEqual(await post("/auth/reset-password", { ...invited, password: PASSWORD }), 200);
    strictEqual(await post("/auth/link", withoutPassword), 200);
    strictEqual(await post("/auth/reset-password", accept), 400);
    strictEqual(await post("/auth/link", printed), 400);
  }));

const EVENTS_OF_REGISTRATION = 2;

Deno.test("a restore ends all links to private files, because some were revoked since, and a move keeps them", () =>
  withFolder(async (folder) => {
    const owner = uploaderOf(app, await registerVerifiedUser(app, "ada@example.com"));
    const { id } = await owner.store("hello", "private");
    const response = await owner.client.send("POST", `/api/uploads/${id}/link`, {});
    const { pathname, search } = new URL((await response.json()).data.url);
    const open = async () => (await app.client().get(pathname + search)).status;
    const file = `${folder}/1.tar`;
    await exportBackup(services, { file });
    await owner.client.request(`/api/uploads/${id}/links`, { method: "DELETE" });
    strictEqual(await open(), 404);
    await restore(file);
    strictEqual(await open(), 404);
    await restore(file, { isMove: true });
    strictEqual(await open(), 200);
  }));

Deno.test("a restore ends the trust in devices, because some were forgotten since, and a move keeps it", () =>
  withFolder(async (folder) => {
    const { id } = await registerVerifiedUser(app, "ada@example.com");
    const trustedUntil = secondsAfter(services.now(), DAY_SECONDS);
    await db.updateTable("devices").set({ trust_id: id, trusted_at: services.now(), trusted_until: trustedUntil })
      .where("user_id", "=", id).execute();
    const file = `${folder}/1.tar`;
    await exportBackup(services, { file });
    const marks = () => db.selectFrom("devices").select("trusted_until").execute();
    await restore(file);
    deepStrictEqual(await marks(), [{ trusted_until: null }]);
    await restore(file, { isMove: true });
    deepStrictEqual(await marks(), [{ trusted_until: trustedUntil }]);
  }));

Deno.test("a move writes to the audit log what is not in it yet, and a restore does not repeat anything", () =>
  withFolder(async (folder) => {
    const written: string[] = [];
    const sink = { write: (line: string) => Promise.resolve(void written.push(JSON.parse(line).id)) };
    /** Transactions of other tests on the same server delay lines, so it waits for those that must come. */
    const writeAll = async (expected: number) => {
      written.length = 0;
      await waitFor(`${expected} lines`, async () => {
        while (await writeNextEvent(services, sink) > 0);
        return written.length >= expected;
      });
      return written.length;
    };
    await registerUser(app, "ada@example.com");
    const first = await writeAll(EVENTS_OF_REGISTRATION);
    await registerUser(app, "grace@example.com");
    await exportBackup(services, { file: `${folder}/a.tar` });
    // Another server has counted more transactions.
    const rowOf = (_table: string, { transaction_id: id, ...row }: Record<string, unknown>) =>
      id === undefined ? row : { ...row, transaction_id: id && String(Number(id) + 9_000_000_000) };
    await rewriteBackup(`${folder}/a.tar`, `${folder}/b.tar`, { secrets: config, rowOf });
    await restore(`${folder}/b.tar`, { isMove: true });
    strictEqual(await writeAll(first), first);
    strictEqual(await writeAll(0), 0);
    await restore(`${folder}/b.tar`);
    strictEqual(await writeAll(0), 0);
    await registerUser(app, "new@example.com");
    strictEqual(await writeAll(first), first);
  }));

Deno.test("a database that holds an account is left as it is", () =>
  withFolder(async (folder) => {
    await registerAda();
    await exportBackup(services, { file: `${folder}/a.tar` });
    const before = await dumpRows(db);
    await rejects(
      restoreBackup(services, { file: `${folder}/a.tar`, isMove: true }),
      /holds accounts.*Nothing was changed/,
    );
    deepStrictEqual(await dumpRows(db), before);
  }));

Deno.test("what a service without accounts has left does not stand in the way", () =>
  withFolder(async (folder) => {
    await registerUser(app, "ada@example.com");
    await getSigningKey(services, "ES256");
    await exportBackup(services, { file: `${folder}/a.tar` });
    const before = await dumpRows(db, ["signing_keys"]);
    await emptyLikeNew();
    await getSigningKey(services, "ES256");
    await restoreBackup(services, { file: `${folder}/a.tar`, isMove: true });
    deepStrictEqual(await dumpRows(db, ["signing_keys"]), before);
  }));

Deno.test("another APP_SECRET is reported before anything is written, for each kind of value", () =>
  withFolder(async (folder) => {
    const file = `${folder}/a.tar`;
    await registerAda();
    await registerUser(app, "grace@example.com");
    await exportBackup(services, { file });
    await emptyLikeNew();
    config.appSecret = "n".repeat(32);
    const attempt = (acceptsUnsigned: boolean) =>
      restoreBackup({ ...services, longWork: () => fail() }, { file, isMove: false, acceptsUnsigned });
    await rejects(attempt(false), /a\.tar was signed with another APP_SECRET, .*Nothing was changed/);
    await rejects(
      attempt(true),
      /APP_SECRET does not open .*: emails that wait, keys of access tokens, authenticator apps\. Nothing was changed/,
    );
    Object.assign(config, { previousAppSecrets: ["x".repeat(32), FORMER] });
    await restoreBackup(services, { file, isMove: false });
    strictEqual((await dumpRows(db, ["users"])).users.length, 2);
  }));

Deno.test("a backup may name only our tables and columns", () =>
  withFolder(async (folder) => {
    const good = `${folder}/good.tar`;
    await registerUser(app, "ada@example.com");
    await exportBackup(services, { file: good });
    const cases: [Partial<Parameters<typeof rewriteBackup>[2]>, RegExp][] = [
      [{ also: "kysely_migration" }, /names the table kysely_migration, which no export has\. Nothing was changed/],
      [{ also: "pg_authid" }, /names the table pg_authid,/],
      [{ also: "instances" }, /names the table instances,/],
      [{ also: "constructor" }, /names the table constructor,/],
      [{ rowOf: (table, row) => table === "users" ? { ...row, ["is\u001bodd"]: 1 } : row }, /"is\\u001bodd" of users/],
      [
        { rowOf: (table, row) => table === "outbox" ? { ...row, "users.email": 1 } : row },
        /the column "users\.email" of outbox, which its schema does not have\. Nothing was changed/,
      ],
    ];
    for (const [index, [change, message]] of cases.entries()) {
      const bad = `${folder}/${index}.tar`;
      await rewriteBackup(good, bad, { secrets: config, ...change });
      await rejects(restore(bad, { isMove: true }), message);
      deepStrictEqual(await dumpRows(db), NOBODY);
    }
    deepStrictEqual(await describeTables(db), TABLES_AS_MIGRATED);
  }));

Deno.test("a list of deletions must be signed too", () =>
  withFolder(async (folder) => {
    const [file, deleted] = [`${folder}/a.tar`, `${folder}/list.tar`];
    await registerUser(app, "ada@example.com");
    await exportBackup(services, { file });
    await reportExport({ ...services, config: { ...config, appSecret: "n".repeat(32) } }, {
      file: deleted,
      deletedOnly: true,
    });
    await rejects(restore(file, { deleted }), /list\.tar was signed with another APP_SECRET/);
    deepStrictEqual(await dumpRows(db), NOBODY);
    await restore(file, { deleted, acceptsUnsigned: true });
  }));

Deno.test("a restore that fails in the last table leaves nothing", () =>
  withFolder(async (folder) => {
    await registerAda();
    await exportBackup(services, { file: `${folder}/a.tar` });
    const rowOf = (table: string, row: Record<string, unknown>) =>
      table === "sessions" ? { ...row, user_id: "nobody" } : row;
    await rewriteBackup(`${folder}/a.tar`, `${folder}/b.tar`, { secrets: config, rowOf });
    await rejects(restore(`${folder}/b.tar`, { isMove: true }), /foreign key/);
    deepStrictEqual(await dumpRows(db), NOBODY);
    deepStrictEqual(await describeTables(db), TABLES_AS_MIGRATED);
  }));

Deno.test("accounts that were deleted since the backup stay deleted", () =>
  withFolder(async (folder) => {
    const { client, id } = await registerVerifiedUser(app, "gone@example.com");
    await uploaderOf(app, { client, id, email: "gone@example.com" }).store("hello");
    await registerVerifiedUser(app, "ada@example.com");
    await exportBackup(services, { file: `${folder}/a.tar` });
    await db.updateTable("users").set({ deletion_due_at: services.now() }).where("id", "=", id).execute();
    strictEqual(await deleteDueAccounts(services), 1);
    await reportExport(services, { file: `${folder}/list.tar`, deletedOnly: true });
    // It may come from a later release.
    const manifest = { schema: "9999_create_future" };
    await rewriteBackup(`${folder}/list.tar`, `${folder}/deleted.tar`, { secrets: config, manifest });

    const { deletedAgain } = await restore(`${folder}/a.tar`, { deleted: `${folder}/deleted.tar` });
    strictEqual(deletedAgain, 1);
    deepStrictEqual(await db.selectFrom("users").select("email").execute(), [{ email: "ada@example.com" }]);
    await sweepAllUploads(services); // finds the file without an owner
    app.advance(2 * DAY_SECONDS);
    await sweepAllUploads(services);
    const dump = JSON.stringify(await dumpRows(db));
    ok(!dump.includes(id) && !dump.includes("gone@example.com"), "nothing names the account");
    strictEqual((await dumpRows(db, ["deleted_accounts"])).deleted_accounts.length, 1, "the next restore knows it too");
    await emptyLikeNew();
    const { value } = await reportImport(services, { file: `${folder}/a.tar`, isMove: false });
    match(JSON.stringify(value), /Accounts that were deleted since are back too/);
  }));

Deno.test("deletions are remembered for 90 days, as hashes", async () => {
  const { id } = await registerUser(app, "gone@example.com");
  await db.updateTable("users").set({ deletion_due_at: services.now() }).execute();
  await deleteDueAccounts(services);
  const [row] = await db.selectFrom("deleted_accounts").selectAll().execute();
  match(row.id_hash, /^[\w-]{43}$/);
  ok(!JSON.stringify(row).includes(id));
  const count = async () => (await db.selectFrom("deleted_accounts").selectAll().execute()).length;
  app.advance(89 * DAY_SECONDS);
  await sweepExpiredRows(services);
  strictEqual(await count(), 1);
  app.advance(2 * DAY_SECONDS);
  await sweepExpiredRows(services);
  strictEqual(await count(), 0);
});

Deno.test("a backup of an earlier schema is migrated, and one of a later schema is refused", () =>
  withFolder(async (folder) => {
    const ada = await registerAda();
    await exportBackup(services, { file: `${folder}/a.tar` });
    // The earlier schema has no such columns.
    await db.updateTable("events").set({ request_id: null }).execute();
    await db.updateTable("outbox").set({ sent_at: null, recipient_hash: null }).execute();
    const firstAdmin = '{"id": true, "made_at": null, "assumed_user_id": null, "link_expires_at": null}';
    const before = { ...await dumpRows(db), first_admin: [firstAdmin] }; // its migration adds the row
    await rewriteBackup(`${folder}/a.tar`, `${folder}/earlier.tar`, {
      secrets: config,
      manifest: { schema: "0039_index_actions_of_users" },
      without: [
        "audit_position",
        "deleted_accounts",
        "search_terms",
        "first_admin",
        "clients",
        "client_documents",
        "client_logos",
        "login_link_tokens",
        "groups",
        "group_members",
        ...WEBHOOK_TABLES,
        ...GRANT_TABLES,
      ],
      rowOf: (table, row) => {
        const isNewer = (name: string) => NEWER_COLUMNS.includes(name) || `${table}.${name}` === "users.last_seen_at";
        return Object.fromEntries(Object.entries(row).filter(([name]) => !isNewer(name)));
      },
    });
    await restore(`${folder}/earlier.tar`, { isMove: true });
    deepStrictEqual(await dumpRows(db), before);
    deepStrictEqual(await describeTables(db), TABLES_AS_MIGRATED);
    await requireAllWays(ada);
    const later = { schema: "9999_create_future", version: "99.0.0" };
    await rewriteBackup(`${folder}/a.tar`, `${folder}/later.tar`, { secrets: config, manifest: later });
    await rejects(
      restore(`${folder}/later.tar`),
      /schema 9999_create_future of Foyer 99.0.0, which this release does not/,
    );
    deepStrictEqual(await dumpRows(db), NOBODY);
  }));

Deno.test("an export does not replace a file, and leaves nothing when it fails", () =>
  withFolder(async (folder) => {
    const file = `${folder}/a.tar`;
    await Deno.writeTextFile(file, "precious");
    await rejects(exportBackup(services, { file }), /a\.tar exists already/);
    await rejects(exportBackup(services, { file: `${folder}/b.tar`, tables: ["users", "no_such_table"] }));
    deepStrictEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["a.tar"]);
    strictEqual(await Deno.readTextFile(file), "precious");
  }));

Deno.test("the report of an export names what else to copy", () =>
  withFolder(async (folder) => {
    await registerUser(app, "ada@example.com");
    const { text } = await reportExport(services, { file: `${folder}/a.tar`, deletedOnly: false });
    match(
      text,
      /^Exported to .*a\.tar \(accounts: 1, rows: \d+, 0\.\d MB\)\.\n.*\n1\. The secret.*\n2\. The files: the folder .*objects/,
    );
    strictEqual((await Deno.stat(`${folder}/a.tar`)).mode! & 0o777, 0o600);
    for (
      const [privateBucket, expected] of [[undefined, "the bucket a"], ["b", "the buckets a and b"]] as const
    ) {
      const s3 = { ...S3, privateBucket };
      const other = { ...services, config: { ...services.config, s3 } };
      const { text } = await reportExport(other, { file: `${folder}/${privateBucket}.tar`, deletedOnly: false });
      ok(text.includes(`2. The files: ${expected}, now and not before.`), text);
    }
  }));

const S3 = { endpoint: "", region: "", bucket: "a", accessKeyId: "", secretAccessKey: "", publicUrl: "" };

function fail(): never {
  throw new Error("the database was used");
}
