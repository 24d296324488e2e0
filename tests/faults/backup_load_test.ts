import { ok, strictEqual } from "node:assert/strict";
import { TOTP } from "otpauth";
import { readArchive } from "../../lib/installation/backup/archive_reader.ts";
import { PASSWORD } from "../support/app/accounts.ts";
import { addPasskey, requestOptions, sendCredential } from "../support/app/passkeys.ts";
import { STEP_SECONDS } from "../support/app/second_factor.ts";
import type { SoftwareAuthenticator } from "../support/app/software_authenticator.ts";
import { createClient, type TestClient } from "../support/app/test_client.ts";
import { foyer } from "../support/database/backup_commands.ts";
import { withFolder } from "../support/database/engines.ts";
import { startCluster } from "../support/database/postgres_cluster.ts";
import { openMailFolder } from "../support/mail/mail_folder.ts";
import { type AppProcess, buildApp, startApp, type StartOptions } from "../support/processes/app_process.ts";
import { freePort } from "../support/processes/free_port.ts";
import { measureStrain } from "../support/processes/process_probe.ts";

/** People who arrive at the same time. */
const ARRIVING = 3;
/** The longest that an export may hold up another request. The load itself takes some of that. */
const BLOCKED_MAX_MS = 500;

await buildApp();

/** Someone who has arrived during this test, with what they need to log in. */
interface Person {
  email: string;
  totpSecret: string;
  authenticator: SoftwareAuthenticator;
  /** The last code that they have entered. */
  spentCode: string;
}

/** An app process, and the people who have arrived there or before. */
class Site {
  readonly people = new Map<string, Partial<Person>>();
  constructor(readonly origin: string, readonly mailFolder: string) {}

  client(): TestClient {
    return createClient({ server: this.origin, origin: this.origin, address: "192.0.2.1" });
  }

  /** Registers someone, confirms the address, uploads a file, and adds a passkey and an authenticator app. */
  async arrive(): Promise<void> {
    const email = `person${this.people.size}@example.com`;
    const person: Partial<Person> = { email };
    this.people.set(email, person);
    const client = this.client();
    await post(client, "/auth/register", { name: "Ada", email, password: PASSWORD });
    const { links: [link] } = await openMailFolder(this.mailFolder).next({ to: email });
    await post(client, "/auth/verify-email", { email, token: new URL(link).searchParams.get("token") });
    const file = { filename: "a.txt", contentType: "text/plain", size: 5 };
    const { presignedUrl } = await post(client, "/api/upload/presign", file);
    const sent = await fetch(presignedUrl, { method: "PUT", body: "hello", headers: { "Content-Type": "text/plain" } });
    ok(sent.ok, await sent.text());
    person.authenticator = (await addPasskey(client, { origin: this.origin })).authenticator;
    person.totpSecret = (await post(client, "/api/totp", {})).secret;
    await post(client, "/api/totp/confirm", { code: new TOTP({ secret: person.totpSecret }).generate() });
    await post(client, "/auth/logout", {});
  }
}

async function post(client: TestClient, path: string, body: unknown) {
  const response = await client.send("POST", path, body);
  const answer = await response.json();
  ok(response.ok, `${path}: ${JSON.stringify(answer)}`);
  return answer;
}

/** The rows of a backup that say how people log in. */
async function readRows(file: string) {
  const rows: Record<string, Record<string, string | boolean | null>[]> = {};
  await readArchive(file, {
    signer: "anyone",
    read: (table, lines) => Promise.resolve(void (rows[table] ??= []).push(...lines.map((line) => JSON.parse(line)))),
  });
  const { users = [], totp_secrets: secrets = [], passkeys = [] } = rows;
  return users.map(({ id, email, email_verified: isVerified }) => ({
    email: String(email),
    isVerified: isVerified === true,
    hasTotp: secrets.some((row) => row.user_id === id && row.secret !== null),
    hasPasskey: passkeys.some((row) => row.user_id === id),
  }));
}

/** Fails unless everyone in a backup can log in, in each way that they had. Returns how many had everything. */
async function logInEveryone(site: Site, file: string): Promise<number> {
  let complete = 0;
  for (const { email, isVerified, hasTotp, hasPasskey } of await readRows(file)) {
    const person = site.people.get(email)!;
    const client = site.client();
    const login = await (await client.send("POST", "/auth/login", { email, password: PASSWORD })).json();
    const expected = hasTotp ? "SECOND_FACTOR_REQUIRED" : isVerified ? undefined : "EMAIL_NOT_VERIFIED";
    strictEqual(login.code, expected, `${email}: ${JSON.stringify(login)}`);
    if (hasTotp) await enterCode(client, person);
    if (hasPasskey) {
      const guest = site.client();
      const response = await sendCredential(guest, await person.authenticator!.get(await requestOptions(guest)));
      strictEqual(response.status, 200, email);
    }
    if (hasTotp && hasPasskey) complete++;
  }
  return complete;
}

/**
 * Enters the next code, because the one of this step may be spent. A code that was spent before the backup stays so.
 */
async function enterCode(client: TestClient, person: Partial<Person>): Promise<void> {
  const timestamp = Date.now() + STEP_SECONDS * 1000;
  const code = new TOTP({ secret: person.totpSecret! }).generate({ timestamp });
  const response = await client.send("POST", "/auth/second-factor", { code });
  strictEqual(response.status, code === person.spentCode ? 403 : 200, String(person.email));
  person.spentCode = code;
}

/** Exports while people arrive, before and after the moment of the backup. */
async function exportUnderLoad(site: Site, app: AppProcess, file: string, env: Record<string, string>) {
  await site.arrive();
  let isOver = false;
  const arrivals = Promise.all(Array.from({ length: ARRIVING }, async () => {
    while (!isOver) await site.arrive();
  }));
  const { blockedMs } = await measureStrain(app, async () => {
    const exported = await foyer(["export", file], env);
    strictEqual(exported.code, 0, exported.stderr);
  }).finally(() => {
    isOver = true;
    return arrivals;
  });
  ok(blockedMs < BLOCKED_MAX_MS, `blocked for ${Math.round(blockedMs)} ms`);
}

Deno.test("everyone in a backup that was taken under load can log in, on the other engine", () =>
  withFolder(async (folder) => {
    await using cluster = await startCluster();
    const port = freePort();
    const secret = { APP_SECRET: "s".repeat(32), LOGIN_MAX_ATTEMPTS: "0", DENO_JOBS: "1" };
    const onServer = { ...secret, DATABASE_URL: cluster.url };
    const options: StartOptions = { dataDir: `${folder}/data`, port, env: secret };
    const site = new Site(`http://localhost:${port}`, `${folder}/data/outbox`);
    const { dataDir } = options;
    {
      await using embedded = await startApp(options);
      await exportUnderLoad(site, embedded, `${folder}/1.tar`, { ...secret, DATA_DIR: dataDir });
    }
    {
      await using server = await startApp({ ...options, env: onServer });
      // The service runs already. It has no accounts yet.
      const imported = await foyer(["import", `${folder}/1.tar`], { ...onServer, DATA_DIR: dataDir });
      strictEqual(imported.code, 0, imported.stderr);
      ok(await logInEveryone(site, `${folder}/1.tar`) > 0);
      await exportUnderLoad(site, server, `${folder}/2.tar`, { ...onServer, DATA_DIR: dataDir });
    }
    const other = `${folder}/other`;
    const imported = await foyer(["import", `${folder}/2.tar`], { ...secret, DATA_DIR: other });
    strictEqual(imported.code, 0, imported.stderr);
    await using _again = await startApp({ ...options, dataDir: other });
    ok(await logInEveryone(site, `${folder}/2.tar`) > 1);
  }));
