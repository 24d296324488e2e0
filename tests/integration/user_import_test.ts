import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { removeUser } from "../../lib/admin/removal.ts";
import { COMMAND_LINE as by } from "../../lib/activity/events.ts";
import { exportBackup } from "../../lib/installation/backup/export.ts";
import { restoreBackup } from "../../lib/installation/backup/restore.ts";
import { COMMANDS } from "../../lib/command_line/commands.ts";
import { type Outcome, runCommand } from "../../lib/command_line/run.ts";
import { iterationsOf } from "../../lib/crypto/password.ts";
import { readGivenHash } from "../../lib/crypto/given_hash.ts";
import type { Db } from "../../db/schema.ts";
import { DAY_SECONDS, secondsAfter, unixSeconds } from "../../lib/duration.ts";
import { deleteDueAccounts } from "../../lib/accounts/account_deletion.ts";
import { listHashMethods, MAX_HASH_METHODS } from "../../lib/users/hash_methods.ts";
import { logIn, mailedToken, PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { FOREIGN_HASHES } from "../support/app/foreign_hashes.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import { dumpRows, openEmbeddedDatabase } from "../support/database/backups.ts";
import { withFolder } from "../support/database/engines.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0", LIMIT_ACCOUNT: "off" });
const { services } = app;
const { db } = services;
const BCRYPT = FOREIGN_HASHES["bcrypt 2a"];

/** Imports lines. Those that are no text become JSON. */
async function importLines(lines: unknown[], { dryRun = false, at = services } = {}) {
  let outcome: Outcome | undefined;
  await withFolder(async (folder) => {
    const file = `${folder}/users.jsonl`;
    await Deno.writeTextFile(
      file,
      lines.map((line) => typeof line === "string" ? line : JSON.stringify(line)).join("\n"),
    );
    outcome = await runCommand(at, { name: "users import", input: { file, dryRun } }, { commands: COMMANDS });
  });
  ok(outcome !== undefined && "report" in outcome, JSON.stringify(outcome));
  // deno-lint-ignore no-explicit-any
  return { ...outcome.report, value: outcome.report.value as any };
}

async function rowOf(email: string) {
  return await db.selectFrom("users").selectAll().where("email", "=", email).executeTakeFirst() ?? null;
}

async function storedHash(email: string): Promise<string> {
  return (await rowOf(email))!.password_hash!;
}

const rows = (of: Db = db) => dumpRows(of, ["users", "events", "search_terms", "outbox", "not_me_tokens", "sessions"]);

for (const [kind, { password, passwordHash }] of Object.entries(FOREIGN_HASHES)) {
  Deno.test(`people log in with a password of another system, and the first login stores our own hash: ${kind}`, async () => {
    const email = `${kind.replaceAll(" ", "-")}@kinds.example`;
    const person = { email, name: "Ada", emailVerified: true, createdAt: 1_600_000_000, passwordHash };
    const { text, value, hasFailed } = await importLines([person]);
    deepStrictEqual([text, hasFailed], ["Imported 1 user.", false]);
    deepStrictEqual(value, { imported: 1, known: 0, refused: [], dryRun: false });
    const foreign = await storedHash(email);
    match(foreign, /^\$/);
    strictEqual((await listHashMethods(db)).length, 1);
    strictEqual((await logIn(app.client(), email, `${password}x`)).status, 401);
    strictEqual(await storedHash(email), foreign, "a wrong password changes nothing");

    strictEqual((await logIn(app.client(), email, password)).status, 200);
    const own = await storedHash(email);
    strictEqual(iterationsOf(own), services.config.pbkdf2Iterations);
    deepStrictEqual(await listHashMethods(db), []);
    strictEqual((await logIn(app.client(), email, password)).status, 200);
    strictEqual(await storedHash(email), own, "the second login leaves it");
    strictEqual((await logIn(app.client(), email, `${password}x`)).status, 401);
  });
}

Deno.test("an imported user has the fields of the line, an event, and no email", async () => {
  await importLines([
    { email: " Ada@Fields.Example ", name: " Ada ", emailVerified: true, createdAt: "2020-02-03T04:05:06+01:00" },
    { email: "none@fields.example" },
    { email: "null@fields.example", name: null, createdAt: null, passwordHash: null, emailVerified: true },
  ]);
  const ada = (await rowOf("ada@fields.example"))!;
  deepStrictEqual(
    [ada.name, ada.email_verified, ada.created_at.toISOString(), ada.password_hash, ada.role, ada.provider],
    ["Ada", true, "2020-02-03T03:05:06.000Z", null, "user", "email"],
  );
  for (const email of ["none@fields.example", "null@fields.example"]) {
    const row = (await rowOf(email))!;
    deepStrictEqual([row.name, row.password_hash, row.created_at], ["New user", null, services.now()], email);
  }
  const events = await db.selectFrom("events").selectAll().where("user_id", "=", ada.id).execute();
  deepStrictEqual(
    events.map((
      { kind, actor, actor_id, client_address, details },
    ) => [kind, actor, actor_id, client_address, details]),
    [["user.registered", "command line", null, null, { method: "import" }]],
  );
  const emails = ["ada@fields.example", "none@fields.example", "null@fields.example"];
  const queued = await db.selectFrom("outbox").innerJoin("users", "users.id", "user_id").select("kind")
    .where("email", "in", emails).execute();
  deepStrictEqual(queued, []);
  const found = await app.client().get("/api/users?query=ada");
  ok((await found.json()).data.some(({ id }: { id: string }) => id === ada.id), "people find them by name");
});

Deno.test("every line that is refused is reported by its number, and the others are imported", async () => {
  const user = (email: string, more: Record<string, unknown> = {}) => ({ email: `${email}@refused.example`, ...more });
  const { text, value, hasFailed } = await importLines([
    user("good1"),
    "",
    "{",
    "[]",
    user("not an address"),
    user("short", { name: "A" }),
    user("misspelled", { password_hash: BCRYPT.passwordHash }),
    user("unknown-hash", { passwordHash: "5f4dcc3b5aa765d61d8327deb882cf99" }),
    user("costs", { passwordHash: "$2b$31$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui" }),
    user("costs2", { passwordHash: "$2b$31$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui" }),
    user("future", { createdAt: unixSeconds(services.now()) + 60 }),
    user("milliseconds", { createdAt: services.now().getTime() }),
    user("no-zone", { createdAt: "2020-02-03T04:05:06" }),
    user("verified", { emailVerified: "yes" }),
    user("two@at"),
    user("long", { name: "x".repeat(70_000) }),
    { name: "Nobody" },
    user("good2", { passwordHash: BCRYPT.passwordHash }),
    user("GOOD2"),
  ]);
  strictEqual(hasFailed, true);
  deepStrictEqual(
    text.split("\n"),
    [
      "Imported 2 users.",
      "Skipped, because they are known: 1.",
      "Refused 15 lines:",
      "  3  Is not JSON",
      "  4  body: Invalid input",
      "  5  email: Must be a valid email address",
      "  6  name: Must be at least 2 characters",
      "  7  password_hash: Is not a known field",
      "  8  passwordHash: Is not a hash that can be imported",
      "  9-10  passwordHash: Its costs are out of bounds",
      "  11  createdAt: Must not be in the future",
      "  12-13  createdAt: Invalid input",
      "  14  emailVerified: Must be true or false",
      "  15  email: Must be a valid email address",
      "  16  Is too long, or not UTF-8",
      "  17  email: Required",
    ],
  );
  deepStrictEqual([value.imported, value.known, value.refused.length], [2, 1, 13]);
  deepStrictEqual(value.refused[6], { from: 9, to: 10, reason: "passwordHash: Its costs are out of bounds" });
  doesNotMatch(text + JSON.stringify(value) + app.logLines.join(), /abcdefghijklmnopqrstuu|5f4dcc3b|If6bvum7/);
  const { rows: imported } = await countOf("%@refused.example");
  strictEqual(imported, 2);
});

async function countOf(pattern: string) {
  const { count } = await db.selectFrom("users").select(({ fn }) => fn.countAll<string>().as("count"))
    .where("email", "like", pattern).executeTakeFirstOrThrow();
  return { rows: Number(count) };
}

Deno.test("a repeated import changes nothing, whatever has happened to its users since", async () => {
  const lines = ["stays", "renamed", "moved", "deleted", "changed"].map((name) => ({
    email: `${name}@twice.example`,
    name: "Ada",
    emailVerified: true,
    createdAt: 1_600_000_000,
    ...BCRYPT,
    password: undefined,
  }));
  strictEqual((await importLines(lines)).value.imported, 5);
  const once = await rows();
  strictEqual((await importLines(lines)).text, "Imported 0 users.\nSkipped, because they are known: 5.");
  deepStrictEqual(await rows(), once);

  await db.updateTable("users").set({ name: "Grace" }).where("email", "=", "renamed@twice.example").execute();
  await db.updateTable("users").set({ email: "moved@elsewhere.example" }).where("email", "=", "moved@twice.example")
    .execute();
  const gone = (await rowOf("deleted@twice.example"))!;
  await removeUser(services, { who: gone.id, reason: "asked", now: true, by });
  strictEqual((await logIn(app.client(), "changed@twice.example", BCRYPT.password)).status, 200);
  const before = await rows();
  strictEqual((await importLines(lines)).value.known, 5);
  deepStrictEqual(await rows(), before);
  strictEqual((await importLines(lines, { dryRun: true })).value.known, 5);
  strictEqual(await rowOf("deleted@twice.example"), null, "whoever deleted their account stays deleted");
});

Deno.test("users without createdAt are listed as of their import, and a repeated import knows them", async () => {
  app.advance(DAY_SECONDS);
  await registerVerifiedUser(app, "before@order.example");
  app.advance(DAY_SECONDS);
  const lines = ["first", "gone", "moved"].map((name) => ({ email: `${name}@order.example`, emailVerified: true }));
  strictEqual((await importLines(lines)).value.imported, 3);
  app.advance(DAY_SECONDS);
  await registerVerifiedUser(app, "after@order.example");
  const { data } = await (await app.client().get("/api/users?limit=5")).json();
  const order = data.map(({ email }: { email: string }) => email);
  deepStrictEqual([order[0], order[4]], ["after@order.example", "before@order.example"]);

  await db.updateTable("users").set({ email: "elsewhere@order.example" }).where("email", "=", "moved@order.example")
    .execute();
  await removeUser(services, { who: "gone@order.example", reason: "asked", now: true, by });
  app.advance(DAY_SECONDS);
  for (const dryRun of [true, false]) {
    deepStrictEqual((await importLines(lines, { dryRun })).value, { imported: 0, known: 3, refused: [], dryRun });
  }
});

Deno.test("an address that is reserved for another account is skipped", async () => {
  const { client, email } = await registerVerifiedUser(app, "old@reserved.example");
  await client.send("POST", "/api/account/email", { email: "new@reserved.example" });
  const token = await mailedToken(app, "new@reserved.example");
  strictEqual((await client.send("POST", "/auth/confirm-email", { token })).status, 200);
  const before = await rows();
  for (const dryRun of [true, false]) {
    const { value } = await importLines([{ email }], { dryRun });
    deepStrictEqual([value.imported, value.known], [0, 1], String(dryRun));
  }
  deepStrictEqual(await rows(), before);
});

Deno.test("a dry run reports the same and writes nothing", async () => {
  const lines = [
    { email: "one@dry.example", ...BCRYPT, password: undefined },
    { email: "two@dry.example" },
    { email: "TWO@dry.example" },
    { email: "wrong" },
    { email: "costs@dry.example", passwordHash: "$2b$31$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui" },
  ];
  const before = await dumpRows(db);
  const dry = await importLines(lines, { dryRun: true });
  deepStrictEqual(await dumpRows(db), before);
  const cost =
    "As long as one of their passwords is left, each login takes about \\d+ ms longer on this machine: \\$bcrypt";
  match(dry.text, new RegExp(`^Would import 2 users\\.\n${cost}`));
  match(dry.text, /\nSkipped, because they are known: 1\.\nRefused 2 lines:\n/);
  const real = await importLines(lines);
  deepStrictEqual({ ...real.value, dryRun: true }, dry.value);
  deepStrictEqual([dry.hasFailed, real.hasFailed], [true, true]);
});

Deno.test("an old account that is not confirmed gets as much time as a new one", async () => {
  await importLines([{ email: "unconfirmed@old.example", createdAt: 1_500_000_000, ...BCRYPT, password: undefined }]);
  await deleteDueAccounts(services);
  strictEqual((await rowOf("unconfirmed@old.example"))?.deletion_due_at, null);
  const response = await logIn(app.client(), "unconfirmed@old.example", BCRYPT.password);
  strictEqual((await response.json()).code, "EMAIL_NOT_VERIFIED");
  ok((await rowOf("unconfirmed@old.example"))!.created_at > secondsAfter(services.now(), -DAY_SECONDS));
});

Deno.test("a password of the other system proves who someone is, and can be changed", async () => {
  const email = "proof@foreign.example";
  await importLines([{ email, emailVerified: true, ...BCRYPT, password: undefined }]);
  const foreign = await storedHash(email);
  const client = app.client();
  strictEqual((await logIn(client, email, BCRYPT.password)).status, 200);
  await db.updateTable("users").set({ password_hash: foreign }).where("email", "=", email).execute();
  for (const [password, status] of [["wrong", 403], [BCRYPT.password, 200]] as const) {
    strictEqual((await client.send("POST", "/auth/reauthenticate", { password })).status, status);
  }
  const change = { currentPassword: BCRYPT.password, newPassword: PASSWORD };
  strictEqual((await client.send("PUT", "/api/account/password", change)).status, 200);
  ok(iterationsOf(await storedHash(email)) !== null);
});

Deno.test("of eight logins at the same moment with a password of another system, each succeeds", async () => {
  using _costs = app.useRealCosts();
  const email = "crowd@foreign.example";
  await importLines([{ email, emailVerified: true, ...BCRYPT, password: undefined }]);
  const responses = await Promise.all(Array.from({ length: 8 }, () => logIn(app.client(), email, BCRYPT.password)));
  deepStrictEqual(responses.map(({ status }) => status), Array(8).fill(200));
});

Deno.test("accounts may have twenty ways of hashing: each would take time at every login", async () => {
  const lines = Array.from({ length: MAX_HASH_METHODS + 1 }, (_, i) => ({
    email: `way${i}@ways.example`,
    passwordHash: `$pbkdf2-sha256$i=${1_000 + i}$c2FsdA$xeR41ZKIyEGqUw22hFxMjZYok6ABzk4RpJY4c6qYE0o`,
  }));
  await db.updateTable("users").set({ password_hash: null }).where("password_hash", "like", "$%").execute();
  const { value } = await importLines(lines);
  deepStrictEqual([value.imported, value.refused.map(({ from }: { from: number }) => from)], [MAX_HASH_METHODS, [21]]);
  strictEqual((await listHashMethods(db)).length, MAX_HASH_METHODS);
  const again = await importLines([{ ...lines[20], email: "later@ways.example" }, {
    ...lines[3],
    email: "same@ways.example",
  }]);
  deepStrictEqual([again.value.imported, again.value.refused[0].from], [1, 1]);
  await db.updateTable("users").set({ password_hash: null }).where("password_hash", "like", "$%").execute();
});

Deno.test("the methods are found by an index, without a look at each hash", async () => {
  const read = readGivenHash(BCRYPT.passwordHash as string);
  ok("stored" in read);
  await importLines([{ email: "index@methods.example", ...BCRYPT, password: undefined }]);
  deepStrictEqual(await listHashMethods(db), [read.method]);
});

Deno.test("a backup has the hashes of other systems, and an import after the restore knows their users", async () => {
  const lines = [{ email: "kept@backup.example", emailVerified: true, ...BCRYPT, password: undefined }];
  await importLines(lines);
  await withFolder(async (folder) => {
    await exportBackup(services, { file: `${folder}/backup.tar` });
    const { db, longWork, close } = await openEmbeddedDatabase();
    try {
      const restored = { ...services, db, longWork };
      await restoreBackup(restored, { file: `${folder}/backup.tar`, isMove: false });
      deepStrictEqual(await listHashMethods(db), await listHashMethods(services.db));
      strictEqual((await importLines(lines, { at: restored })).value.known, 1);
      const { password_hash } = await db.selectFrom("users").select("password_hash")
        .where("email", "=", "kept@backup.example").executeTakeFirstOrThrow();
      strictEqual(password_hash, await storedHash("kept@backup.example"));
    } finally {
      await close();
    }
  });
});

Deno.test("where passwords are off, an import keeps them and warns", async () => {
  const at = { ...services, config: { ...services.config, passwords: "off" as const } };
  const people = ["one", "two"].map((name) => ({ email: `${name}@off.example`, passwordHash: BCRYPT.passwordHash }));
  const { text } = await importLines([...people, { email: "three@off.example" }], { at });
  match(text, /Warning: PASSWORDS is off, so the passwords of 2 lines are stored and open nothing\./);
  match(await storedHash("one@off.example"), /^\$/);
});
