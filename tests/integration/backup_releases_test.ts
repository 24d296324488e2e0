import { ok, strictEqual } from "node:assert/strict";
import { exportBackup } from "../../lib/installation/backup/export.ts";
import { restoreBackup } from "../../lib/installation/backup/restore.ts";
import { getSigningKey } from "../../lib/access/signing_keys.ts";
import { DAY_SECONDS, MINUTE_SECONDS } from "../../lib/duration.ts";
import { VERSION } from "../../lib/version.ts";
import { registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { createToken } from "../support/app/api_tokens.ts";
import { codeOf, enableTotp, startLogin } from "../support/app/second_factor.ts";
import { openTestApp } from "../support/app/test_app.ts";
import { uploaderOf } from "../support/uploads/upload_world.ts";

/** Each release leaves a backup here. RECORD_EXAMPLES=true makes the one of this version if it is missing. */
const FOLDER = new URL("../fixtures/backups/", import.meta.url);
/** Those that were released before backups were signed. */
const UNSIGNED_VERSIONS = ["0.1.0"];
const isRecording = Deno.env.get("RECORD_EXAMPLES") === "true";

/** What is known about the person in a backup, besides the password of all tests. */
interface Person {
  email: string;
  totpSecret: string;
  apiToken: string;
}

const SETTINGS = { TOKEN_AUDIENCES: "wiki" };
if (isRecording && !versions().includes(VERSION)) await record();

function versions(): string[] {
  return [...Deno.readDirSync(FOLDER)].flatMap(({ name }) => name.match(/^(.*)\.tar$/)?.[1] ?? []);
}

function pathOf(name: string): string {
  return decodeURIComponent(new URL(name, FOLDER).pathname);
}

async function record(): Promise<void> {
  await using app = await openTestApp(SETTINGS);
  const { services } = app;
  const { client, email, id } = await registerVerifiedUser(app, "ada@example.com");
  const { secret: totpSecret } = await enableTotp(app, client);
  const { token: apiToken } = await createToken(client);
  await uploaderOf(app, { client, email, id }).store("hello");
  await registerUser(app, "waits@example.com");
  await getSigningKey(services, "ES256");
  await exportBackup(services, { file: pathOf(`${VERSION}.tar`) });
  const person: Person = { email, totpSecret, apiToken };
  await Deno.writeTextFile(pathOf(`${VERSION}.json`), `${JSON.stringify(person, null, 2)}\n`);
}

Deno.test("this version has left a backup", () => {
  ok(versions().includes(VERSION), "Make it: RECORD_EXAMPLES=true deno task test integration --filter=backup");
});

for (const version of versions()) {
  Deno.test(`the backup of version ${version} is restored, and its person can log in`, async () => {
    await using app = await openTestApp(SETTINGS); // with a clock of its own: emails that waited too long are not sent
    await restoreBackup(app.services, {
      file: pathOf(`${version}.tar`),
      isMove: true,
      acceptsUnsigned: UNSIGNED_VERSIONS.includes(version),
    });
    const person: Person = JSON.parse(await Deno.readTextFile(pathOf(`${version}.json`)));
    app.advance(MINUTE_SECONDS); // the backup was made half a minute after the start of the clock
    await app.deliverMails();
    ok(app.mails.some(({ to }) => to === "waits@example.com"), "the email that waited is sent");
    app.advance(DAY_SECONDS);
    const login = await startLogin(app, person.email);
    const code = codeOf(app, person.totpSecret);
    strictEqual((await login.send("POST", "/auth/second-factor", { code })).status, 200);
    const headers = { Authorization: `Bearer ${person.apiToken}` };
    const { data } = await (await app.client().get("/api/uploads", headers)).json();
    strictEqual(data.length, 1);
  });
}
