import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { sql } from "kysely";
import { openDatabase } from "../../db/connection.ts";
import { migrateTo, MIGRATION_NAMES } from "../../db/migrate.ts";
import type { DatabaseHandle } from "../../db/database_handle.ts";
import { prepareSigningKeys } from "../../lib/access/signing_keys.ts";
import { type Config, readSettings } from "../../lib/config/config.ts";
import { readClientsFile } from "../../lib/clients/load_clients.ts";
import type { ProviderSettings } from "../../lib/config/provider_settings.ts";
import { exportBackup } from "../../lib/installation/backup/export.ts";
import { fillFromBackup } from "../../lib/installation/backup/restore.ts";
import { EXPORTED } from "../../lib/installation/backup/restored_tables.ts";
import { KEPT } from "../../lib/installation/rehearsal/kept.ts";
import { rehearse, type Stage, upgradeOnStage } from "../../lib/installation/rehearsal/rehearse.ts";
import { reportRehearsal } from "../../lib/installation/rehearsal/report.ts";
import { openForLooking } from "../../lib/storage/open_store.ts";
import { COMMAND_LINE } from "../../lib/activity/events.ts";
import { createWebhook } from "../../lib/webhooks/webhook.ts";
import { registerUser, registerVerifiedUser, registerWithoutPassword } from "../support/app/accounts.ts";
import { createToken } from "../support/app/api_tokens.ts";
import { exchange, giveCode, openAuthorizationApp } from "../support/app/authorization.ts";
import { writeClientsFile } from "../support/app/clients_file.ts";
import { addPasskey } from "../support/app/passkeys.ts";
import { enableTotp, joinGroup } from "../support/app/second_factor.ts";
import { withFolder } from "../support/database/engines.ts";
import { readRelease } from "../support/releases/restore.ts";
import { uploaderOf } from "../support/uploads/upload_world.ts";

/** The provider of the identities in the backup. */
const CONTOSO = {
  IDP_PROVIDERS: "contoso",
  IDP_CONTOSO_ISSUER: "https://login.contoso.example",
  IDP_CONTOSO_CLIENT_ID: "foyer",
  IDP_CONTOSO_CLIENT_SECRET: "secret",
};
const app = await openAuthorizationApp({ ...CONTOSO, SIGN_IN_CODES: "false" });
const { services } = app;
const { db: source, config } = services;
const folder = await Deno.makeTempDir({ prefix: "foyer-test-" });
const file = `${folder}/backup.tar`;
const files = await fill();
const manifest = await exportBackup(services, { file });
const opened = await openEmptyDatabase(`${folder}/stage`);
const { db } = opened;
await migrateTo(db, manifest.schema);
await fillFromBackup(db, { file, manifest });
const stage: Stage = { db, config, files: services.objects };
Deno.test.afterAll(async () => {
  await opened.close();
  await Deno.remove(folder, { recursive: true });
});

/** People with every way in, and with everything that they may lose. Returns the key of a file. */
async function fill(): Promise<string> {
  const ada = await registerVerifiedUser(app, "ada@example.com");
  await addPasskey(ada.client);
  await enableTotp(app, ada.client);
  await createToken(ada.client);
  const { key } = await uploaderOf(app, ada).store("hello");
  await exchange(app, await giveCode(app, ada.client, "phone", { scopes: ["openid", "offline_access"] }));
  await joinGroup(app, ada.id, "staff");
  await source.updateTable("users").set({ role: "admin" }).where("id", "=", ada.id).execute();
  const other = await registerWithoutPassword(app, "passkey@example.com");
  await addPasskey(other.client);
  await source.deleteFrom("identities").where("user_id", "=", other.id).execute();
  const linus = await registerWithoutPassword(app, "linus@example.com");
  await source.updateTable("users").set({ idp_id: null }).where("id", "=", linus.id).execute();
  const subject = `${CONTOSO.IDP_CONTOSO_ISSUER} 1234`;
  await source.insertInto("identities")
    .values({ user_id: linus.id, provider: "contoso", subject, email: linus.email, linked_at: services.now() })
    .execute();
  await registerVerifiedUser(app, "grace@example.com");
  await registerUser(app, "waits@example.com");
  await createWebhook(services, { url: "https://hooks.example.com/", kinds: ["session.started"], by: COMMAND_LINE });
  await source.insertInto("clients").values({
    id: "app_1",
    fields: "{}",
    secrets: "[1]",
    secrets_made: 1,
    created_at: services.now(),
  }).execute();
  await prepareSigningKeys(services);
  return key;
}

async function openEmptyDatabase(directory: string): Promise<DatabaseHandle & AsyncDisposable> {
  const handle = await openDatabase({ directory, log: () => {} });
  return { ...handle, [Symbol.asyncDispose]: handle.close };
}

/** What a release might do to people by mistake, and who must be named. */
interface Mutant {
  name: string;
  /** A migration, as SQL. */
  sql?: string;
  config?: Partial<Config>;
  configProblem?: string;
  /** The start of the finding, and the people in it. */
  finding: RegExp;
  people: string[];
}

const EVERYONE = ["ada", "grace", "linus", "passkey", "waits"];
const [contoso] = config.providers;
const provider = (change: Partial<ProviderSettings>) => ({ providers: [{ ...contoso, ...change }] });
const MUTANTS: Mutant[] = [
  {
    name: "a column is dropped",
    sql: "alter table passkeys drop column public_key",
    finding: /lose a passkey/,
    people: ["ada", "passkey"],
  },
  { name: "a table is dropped", sql: "drop table recovery_codes", finding: /lose recovery codes/, people: ["ada"] },
  {
    name: "passwords are set back",
    sql: "update users set password_hash = null where email like 'grace%'",
    finding: /lose their password/,
    people: ["grace"],
  },
  {
    name: "hashes become too expensive",
    sql: "update users set password_hash = regexp_replace(password_hash, '^[0-9]+', '90000000')",
    finding: /hash cannot be read, or costs too much/,
    people: ["ada", "grace", "waits"],
  },
  {
    name: "addresses get another form",
    sql: "update users set email = upper(email) where email like 'ada%'",
    finding: /have another email address/,
    people: ["ada"],
  },
  {
    name: "a unique key is lost",
    sql: "alter table users drop constraint users_email_key",
    finding: /users \(email\) is no longer unique/,
    people: EVERYONE,
  },
  {
    name: "a provider gets another key",
    sql: "update identities set provider = 'microsoft'",
    finding: /lose an identity/,
    people: ["linus"],
  },
  {
    name: "subjects lose their issuer",
    sql: "update identities set subject = split_part(subject, ' ', 2)",
    finding: /have an identity of contoso with another issuer/,
    people: ["linus"],
  },
  {
    name: "keys of passkeys get another encoding",
    sql: "update passkeys set public_key = translate(public_key, '-_', '+/') || '='",
    finding: /lose a passkey/,
    people: ["ada", "passkey"],
  },
  {
    name: "authenticator apps are off",
    sql: "update totp_secrets set enabled_at = null",
    finding: /lose their authenticator app/,
    people: ["ada"],
  },
  {
    name: "sessions are deleted",
    sql: "delete from sessions where user_id = (select id from users where email like 'grace%')",
    finding: /are logged out/,
    people: ["grace"],
  },
  {
    name: "tokens lose a scope",
    sql: "update api_tokens set scopes = scopes[2:]",
    finding: /lose an API token, or what it may do/,
    people: ["ada"],
  },
  {
    name: "a default of roles is applied to all",
    sql: "alter table users disable trigger user; update users set role = default",
    finding: /are no longer admins/,
    people: ["ada"],
  },
  {
    name: "a default of confirmation is applied to all",
    sql: "update users set email_verified = default",
    finding: /have an unconfirmed email address/,
    people: ["ada", "grace", "linus", "passkey"],
  },
  {
    name: "a changed default suspends",
    sql: "alter table users disable trigger user; alter table users alter suspended_at set default now(); " +
      "update users set suspended_at = default",
    finding: /are suspended/,
    people: EVERYONE,
  },
  {
    name: "the grace of the second factor has expired",
    sql: "update users set second_factor_due_at = '2020-01-01' where email like 'grace%'",
    finding: /must have a second factor at another time/,
    people: ["grace"],
  },
  {
    name: "emailed links are deleted",
    sql: "delete from email_verification_tokens",
    finding: /have an emailed link that no longer works/,
    people: ["waits"],
  },
  {
    name: "refresh tokens are counted anew",
    sql: "update grants set generation = generation + 1",
    finding: /must sign in to an app again/,
    people: ["ada"],
  },
  {
    name: "emails that wait are deleted",
    sql: "delete from outbox where user_id = (select id from users where email like 'waits%')",
    finding: /lose an email that waits/,
    people: ["waits"],
  },
  {
    name: "groups are emptied",
    sql: "delete from group_members",
    finding: /leave a group/,
    people: ["ada"],
  },
  {
    name: "an account is deleted",
    sql: "delete from users where email like 'linus%'",
    finding: /lose their account$/,
    people: ["linus"],
  },
  { name: "rows of uploads are deleted", sql: "delete from uploads", finding: /lose a file/, people: ["ada"] },
  {
    name: "APP_SECRET is another one",
    config: { appSecret: "another secret, of at least 32 bytes" },
    finding: /have an authenticator app that APP_SECRET does not open: only a recovery code is left/,
    people: ["ada"],
  },
  {
    name: "the domain of passkeys is another one",
    config: { passkeys: { ...config.passkeys, rpId: "login.example.com" } },
    finding: /have a passkey of .*, and the domain of passkeys is login.example.com now/,
    people: ["ada", "passkey"],
  },
  {
    name: "a provider is no longer configured",
    config: { providers: [], passwords: "existing" },
    finding: /have no way in left: they have an identity of contoso, which is not configured/,
    people: ["linus"],
  },
  {
    name: "a claim is renamed",
    config: provider({ oddities: { claims: { sub: ["oid"] } } }),
    finding: /have an identity of contoso, which now tells people apart by oid at/,
    people: ["linus"],
  },
  {
    name: "an issuer is another one",
    config: provider({ issuer: "https://contoso.example" }),
    finding: /have an identity of contoso/,
    people: ["linus"],
  },
  {
    name: "passwords open nothing",
    config: { passwords: "off" },
    finding: /have no way in left: they have a password, and PASSWORDS is off/,
    people: ["grace", "waits"],
  },
  {
    name: "nothing but a mailbox lets people in, and it no longer does",
    sql: "delete from passkeys; delete from identities",
    config: { passwords: "existing" },
    finding: /have no way in left: they have no password, passkey or identity/,
    people: ["linus", "passkey"],
  },
  {
    name: "an app is no longer registered",
    config: { registrations: null },
    finding: /use the app phone, which is not registered/,
    people: ["ada"],
  },
];

Deno.test("an upgrade that takes nothing from anyone has no findings", async () => {
  const { findings, checked } = await upgradeOnStageAgain({});
  deepStrictEqual(findings, []);
  deepStrictEqual(checked, { accounts: 5, waysIn: 6, files: 1 });
});

for (const { name, finding, people, ...mutant } of MUTANTS) {
  Deno.test(`the rehearsal refuses an upgrade, and names the people: ${name}`, async () => {
    const { findings } = await upgradeOnStageAgain(mutant);
    const found = findings.find(({ text }) => finding.test(text));
    ok(found?.isRefusal, JSON.stringify(findings, null, 2));
    deepStrictEqual(found.people.map((email) => email.split("@")[0]).sort(), people);
    strictEqual(found.count, people.length);
  });
}

Deno.test("a migration that fails, and settings with which the service does not start, are findings", async () => {
  const failing = await upgradeOnStageAgain({ sql: "alter table nothing add column more text" });
  match(failing.findings[0].text, /relation "nothing" does not exist\. The upgrade would stop there/);
  const stopped = await upgradeOnStageAgain({ configProblem: "BASE_URL is not set" });
  match(stopped.findings[0].text, /The service would not start\. BASE_URL is not set/);
});

Deno.test("apps made in the browser and keys of access tokens that are lost are findings", async () => {
  const { findings } = await upgradeOnStageAgain({
    sql: "update clients set secrets = '[]'; delete from signing_keys",
  });
  deepStrictEqual(findings.filter(({ count }) => count === null).map(({ text }) => text), [
    "Apps made in the browser are lost.",
    "Keys of access tokens are lost.",
  ]);
});

Deno.test("what people can repair themselves is worth a note, and no refusal", async () => {
  const noteOf = async (change: Partial<Config>) => {
    const { findings } = await upgradeOnStageAgain({ config: change });
    return findings.map(({ text, isRefusal, count }) => `${isRefusal} ${count} ${text}`);
  };
  const secondFactor = { everyone: true, admins: false, groups: [] };
  deepStrictEqual(await noteOf({ secondFactor, secondFactorGraceSeconds: 0 }), [
    "false 3 must set up a second factor before anything else: SECOND_FACTOR_GRACE_DAYS is 0",
  ]);
  deepStrictEqual(await noteOf({ providers: [] }), [
    "false 1 can log in only by an email from now on: they have an identity of contoso, which is not configured",
  ]);
  deepStrictEqual(await noteOf({ signInDomains: [{ domain: "example.com", provider: "contoso" }] }), [
    "false 4 log in with contoso for the first time, which must confirm their address",
  ]);
});

/** Runs a mutant on the restored backup, and takes everything back. */
async function upgradeOnStageAgain(
  { sql: statements, config: change, configProblem }: Pick<Mutant, "sql" | "config" | "configProblem">,
) {
  const trx = await db.startTransaction().execute();
  try {
    const mutated = { ...stage, db: trx, config: { ...config, ...change }, configProblem };
    return await upgradeOnStage(mutated, { manifest }, async (trx) => {
      for (const statement of statements?.split("; ") ?? []) await sql.raw(statement).execute(trx);
      return [];
    });
  } finally {
    await trx.rollback().execute();
  }
}

Deno.test("a rehearsal leaves the backup as it is, and says what it did", () =>
  withFolder(async (other) => {
    const before = await Deno.readFile(file);
    await using empty = await openEmptyDatabase(`${other}/stage`);
    const report = await reportRehearsal({ ...services, db: empty.db }, { file });
    match(report.text, /Checked: 5 accounts, 6 ways in, no files/);
    match(report.text, /Migrations: none\.\n[^]*Nobody would be locked out\.$/);
    ok(!report.hasFailed);
    deepStrictEqual(await Deno.readFile(file), before);
  }));

Deno.test("docs/upgrade.md shows what a refused rehearsal looks like", () =>
  withFolder(async (other) => {
    await using empty = await openEmptyDatabase(`${other}/stage`);
    const wrong: Config = {
      ...config,
      passwords: "existing",
      providers: [],
      passkeys: { ...config.passkeys, rpId: "login.example.com" },
    };
    const report = await reportRehearsal({ ...services, db: empty.db, config: wrong }, { file });
    ok(report.hasFailed);
    const [, refusal] = report.text.split(/(?=Do not upgrade yet:)/);
    const document = await Deno.readTextFile(new URL("../../docs/upgrade.md", import.meta.url));
    ok(document.includes(`\n${refusal}\n`), refusal);
  }));

Deno.test("a backup that another secret has signed is refused, and so is what the secret does not open", () =>
  withFolder(async (other) => {
    await using empty = await openEmptyDatabase(`${other}/stage`);
    const lost = { ...config, appSecret: "another secret, of at least 32 bytes" };
    const { findings } = await rehearse({ db: empty.db, config: lost, files: null }, { file, sample: 2 });
    match(findings[0].text, /was signed with another APP_SECRET/);
    ok(findings.some(({ text }) => /^APP_SECRET does not open: signing key/.test(text)));
  }));

Deno.test("a file that is missing is named, and is no refusal", async () => {
  await services.objects.delete(files);
  const { findings } = await upgradeOnStageAgain({});
  deepStrictEqual(findings, [{
    text: "have an upload whose file is missing",
    isRefusal: false,
    count: 1,
    people: ["ada@example.com"],
  }]);
});

for (const version of ["0.1.0", "0.2.0"]) {
  Deno.test(`an upgrade from ${version} locks out no one in its backup`, () =>
    withFolder(async (other) => {
      await using empty = await openEmptyDatabase(`${other}/stage`);
      const path = decodeURIComponent(new URL(`../fixtures/backups/${version}`, import.meta.url).pathname);
      const { settings, appSecret, registrations: { clients, resources } } = await readRelease(path);
      const apps = await readClientsFile(await writeClientsFile(clients, resources));
      const itsConfig = { ...config, ...readSettings({ DATA_DIR: other, ...settings }, apps), appSecret };
      const itsFiles = openForLooking(itsConfig, `${path}-files`);
      const stage = { db: empty.db, config: itsConfig, files: itsFiles };
      const { findings, checked, migrations } = await rehearse(stage, { file: `${path}.tar` });
      deepStrictEqual(findings.filter(({ isRefusal }) => isRefusal), []);
      ok(checked.accounts > 10 && checked.waysIn > 10 && checked.files! > 1, JSON.stringify(checked));
      strictEqual(migrations.at(-1)!.name, MIGRATION_NAMES.at(-1));
    }));
}

/** Their rows are records and counts, last for minutes, or are made again. */
const FREE = [
  "audit_position",
  "client_documents",
  "client_logos",
  "deleted_accounts",
  "device_codes",
  "events",
  "factor_resets",
  "first_admin",
  "logout_deliveries",
  "missing_clients",
  "posts",
  "provider_attempts",
  "rate_limits",
  "search_terms",
  "second_step_challenges",
  "spent_challenges",
  "submissions",
  "webhook_deliveries",
];

Deno.test("each table in a backup is kept by upgrades, or is one that may change", () => {
  const kept = new Set(KEPT.map(({ table }) => table));
  deepStrictEqual(EXPORTED.filter((table) => !kept.has(table)).sort(), FREE);
});
