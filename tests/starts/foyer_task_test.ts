import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { testOnEachEngine, withFolder } from "../support/database/engines.ts";
import { PRODUCTION } from "../support/production_variables.ts";
import { COMMAND_MAX_MS } from "../support/wait_for.ts";

const foyer = (args: string, env: Record<string, string>) => task(["foyer", ...args.split(" ")], env);

async function task(args: string[], env: Record<string, string>) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", ...args],
    env,
    stdin: "null",
    signal: AbortSignal.timeout(COMMAND_MAX_MS),
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

testOnEachEngine(
  "uploads check creates no database, and prints text or JSON, and nothing else",
  async ({ env }, dataDir) => {
    const orphan = `uploads/nobody/${crypto.randomUUID()}-a.txt`;
    await Deno.mkdir(`${dataDir}/objects/uploads/nobody`, { recursive: true });
    await Deno.writeTextFile(`${dataDir}/objects/${orphan}`, "orphan");
    await Deno.utime(`${dataDir}/objects/${orphan}`, 0, 0);
    const options = { ...env, DATA_DIR: dataDir, APP_ENV: "development" };
    const refused = await foyer("uploads check", options);
    deepStrictEqual([refused.code, refused.stdout], [1, ""]);
    match(refused.stderr, /There is no database in DATA_DIR|The database is empty/);
    strictEqual((await task(["migrate"], options)).code, 0);
    const forPeople = await foyer("uploads check", options);
    strictEqual(forPeople.code, 0, forPeople.stderr);
    match(forPeople.stdout, /^Uploads that are due: none\nObjects without a row:\n {2}1 \(6 bytes\) will be deleted/);
    const forPrograms = await foyer("uploads check --json", options);
    strictEqual(forPrograms.code, 0, forPrograms.stderr);
    deepStrictEqual(JSON.parse(forPrograms.stdout), {
      due: {},
      isForeign: false,
      strays: { delete: { count: 1, bytes: 6, keys: [orphan] } },
    });
  },
);

Deno.test("wrong usage ends with 2, and --help with 0", () =>
  withFolder(async (DATA_DIR) => {
    deepStrictEqual((await foyer("uploads", { DATA_DIR })).code, 2);
    const { code, stdout } = await foyer("--help", { DATA_DIR });
    strictEqual(code, 0);
    match(stdout, /^Usage: deno task foyer/);
  }));

Deno.test("a preview of an email writes where it is told to, and nothing into DATA_DIR", () =>
  withFolder(async (DATA_DIR) => {
    const printed = await foyer("mails preview reset", { DATA_DIR });
    deepStrictEqual([printed.code, printed.stderr], [0, ""]);
    match(printed.stdout, /^<!DOCTYPE html>[\s\S]*<\/html>\n$/);
    const written = await foyer(`mails preview reset --out ${DATA_DIR}.html`, { DATA_DIR });
    strictEqual(written.code, 0, written.stderr);
    strictEqual(await Deno.readTextFile(`${DATA_DIR}.html`), printed.stdout);
    await Deno.remove(`${DATA_DIR}.html`);
    const whole = await foyer(`mails preview closed_by_operator --out ${DATA_DIR}.eml`, { DATA_DIR });
    match(whole.stdout, /^Wrote the email “Your Foyer account will be deleted” to /);
    match(
      await Deno.readTextFile(`${DATA_DIR}.eml`),
      /^From: [\s\S]*^Subject: Your Foyer account will be deleted\r?$/m,
    );
    await Deno.remove(`${DATA_DIR}.eml`);
    const unknown = await foyer("mails preview resett", { DATA_DIR });
    strictEqual(unknown.code, 2);
    match(unknown.stderr, /Allowed choices are verification, reset, /);
    deepStrictEqual(await Array.fromAsync(Deno.readDir(DATA_DIR), ({ name }) => name), []);
  }));

Deno.test("texts check names every mistake in TEXTS_DIR, and previews show its texts in its languages", () =>
  withFolder(async (folder) => {
    const settings = { ...PRODUCTION, DATA_DIR: `${folder}/data`, TEXTS_DIR: `${folder}/texts` };
    const write = async (path: string, content: string) => {
      await Deno.mkdir(`${folder}/texts/${path.slice(0, path.lastIndexOf("/"))}`, { recursive: true });
      await Deno.writeTextFile(`${folder}/texts/${path}`, content);
    };
    await write("emails/layout.html", "<main>{footer}</main>");
    await write("nl/home.json", JSON.stringify({ lead: "{x}" }));
    await write("nl/emails/reset.json", JSON.stringify({ subject: "Nieuw wachtwoord", footer: "Groetjes" }));
    const wrong = await foyer("texts check", settings);
    deepStrictEqual([wrong.code, wrong.stderr], [1, ""]);
    match(wrong.stdout, /^Some texts in nl are missing/);
    match(
      wrong.stdout,
      /^- emails\/layout\.html: lacks \{content\}\n- nl\/home\.json: lead: has an unknown argument, x/m,
    );
    const refused = await foyer("mails preview reset", settings);
    deepStrictEqual([refused.code, refused.stdout], [1, ""]);
    match(refused.stderr, /^The texts are invalid:\n- emails/);

    await write("emails/layout.html", "<main>{content}</main><footer>{footer}</footer>");
    await write("nl/home.json", "{}");
    const right = await foyer("texts check --json", settings);
    deepStrictEqual([right.code, JSON.parse(right.stdout).languages], [0, ["en", "de", "ar", "nl"]]);
    const preview = await foyer("mails preview reset --language nl", settings);
    match(preview.stdout, /^<main><div lang="nl" dir="ltr">[\s\S]*<footer>[\s\S]*Groetjes/);
    const eml = `${folder}/a.eml`;
    const whole = await foyer(`mails preview reset --language=nl --out ${eml}`, settings);
    match(whole.stdout, /^Wrote the email “Nieuw wachtwoord” to /);
    match(await Deno.readTextFile(eml), /^Subject: Nieuw wachtwoord\r?$/m);
    const unknown = await foyer("mails preview reset --language xx", settings);
    strictEqual(unknown.code, 1);
    match(unknown.stderr, /language: Must be en or de or ar or nl/);
    deepStrictEqual(await Array.fromAsync(Deno.readDir(folder), ({ name }) => name).then((it) => it.sort()), [
      "a.eml",
      "texts",
    ]);
  }));

Deno.test("all problems of the configuration are told at once", () =>
  withFolder(async (folder) => {
    await Deno.mkdir(`${folder}/texts/nl`, { recursive: true });
    await Deno.writeTextFile(`${folder}/texts/nl/home.json`, JSON.stringify({ lead: "{x}" }));
    await Deno.writeTextFile(`${folder}/clients.json`, "{}]");
    const { code, stderr } = await task(["migrate"], {
      DATA_DIR: `${folder}/data`,
      PORT: "80a",
      CLIENTS_FILE: `${folder}/clients.json`,
      BRAND_LOGO: `${folder}/logo.svg`,
      TEXTS_DIR: `${folder}/texts`,
    });
    strictEqual(code, 1);
    match(
      stderr,
      /^The configuration is invalid:\n- PORT: .*\n- CLIENTS_FILE: .*\n- BRAND_LOGO: .*\nThe texts are invalid:\n- nl\/home\.json/m,
    );
  }));

Deno.test("clients secret and clients check need no valid configuration", () =>
  withFolder(async (folder) => {
    const settings = { APP_ENV: "production", PORT: "80a", DATA_DIR: `${folder}/data`, CLIENTS_FILE: "/nowhere.json" };
    const made = await foyer("clients secret --json", settings);
    deepStrictEqual([made.code, made.stderr], [0, ""]);
    await Deno.writeTextFile(`${folder}/clients.json`, JSON.stringify({ clients: [] }));
    const { code, stdout } = await foyer(`clients check ${folder}/clients.json`, settings);
    deepStrictEqual([code, stdout], [0, "The file is valid: 0 clients, 0 resources.\n"]);
  }));

Deno.test("check answers for each part, also before the first start, and creates nothing", () =>
  withFolder(async (folder) => {
    const settings = { DATA_DIR: `${folder}/data`, EMAIL_URL: "smtp://127.0.0.1:1", APP_ENV: "development" };
    const answers = async (env: Record<string, string>) => {
      const { code, stdout } = await foyer("check --json", env);
      const { settingsOf, checks } = JSON.parse(stdout);
      deepStrictEqual([code, settingsOf], [1, "this command"]);
      return Object.fromEntries(
        checks.map(({ part, isGood, text }: Record<string, unknown>) => [part, [isGood, text]]),
      );
    };
    const before = await answers(settings);
    strictEqual(before.configuration[0], true);
    match(before.database.join(), /^false,There is no database in DATA_DIR/);
    match(before.store.join(), /^false,There is no folder .* yet/);
    match(before.mail.join(), /^false,.*127\.0\.0\.1:1.*Emails waiting: unknown/);
    deepStrictEqual(await Array.fromAsync(Deno.readDir(folder)), []);

    const invalid = await answers({ ...settings, DATABASE_URL: "mysql://db", PORT: "80a" });
    match(invalid.configuration.join(), /^false,The configuration is invalid:.*PORT/s);
    match(invalid.database.join(), /^false,not tried/);
    match(invalid.mail.join(), /127\.0\.0\.1:1/);

    const down = await answers({ ...settings, DATABASE_URL: "postgres://foyer@127.0.0.1:1/foyer" });
    match(down.database.join(), /^false,.*ECONNREFUSED/);
    match(down.mail.join(), /127\.0\.0\.1:1/);
  }));

Deno.test("clients check reads the file that it is given, and clients list the one that is set", () =>
  withFolder(async (folder) => {
    const settings = { ...PRODUCTION, DATA_DIR: `${folder}/data` };
    const file = `${folder}/clients.json`;
    await Deno.writeTextFile(file, JSON.stringify({ clients: [{ client_id: "wiki", client_name: "" }] }));
    const wrong = await foyer(`clients check ${file}`, { ...settings, CLIENTS_FILE: "/nowhere.json" });
    deepStrictEqual([wrong.code, wrong.stderr], [1, ""]);
    match(wrong.stdout, /^The file is invalid:\n- clients\[0\]\.client_name: must be one line/);
    const missing = await foyer("clients check /nowhere.json", settings);
    match(missing.stdout, /^The file is invalid:\n- \/nowhere\.json does not exist\n$/);

    const made = await foyer("clients secret --json", settings);
    const { secret, hash } = JSON.parse(made.stdout);
    match(secret, /^\w{43}$/);
    const client = { client_id: "wiki", client_name: "Wiki", client_secret_hashes: [hash], require_pkce: false };
    await Deno.writeTextFile(file, JSON.stringify({ clients: [client] }));
    const right = await foyer(`clients check ${file}`, settings);
    deepStrictEqual([right.code, right.stderr], [0, ""]);
    match(
      right.stdout,
      /^CLIENTS_FILE: require_pkce is false for wiki.*\nThe file is valid: 1 client, 0 resources\.\n$/,
    );
    const listed = await foyer("clients list", { ...settings, CLIENTS_FILE: file });
    match(listed.stdout, /^CLIENT .*\nwiki +Wiki +confidential +openid profile email/);
    strictEqual(listed.stdout.includes(hash), false);
    const none = await foyer("clients list", settings);
    strictEqual(none.stdout, "CLIENTS_FILE is not set: there are no clients.\n");
    deepStrictEqual(await Array.fromAsync(Deno.readDir(folder), ({ name }) => name), ["clients.json"]);
  }));
