import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import { parseEnv } from "node:util";
import { withFolder } from "../support/database/engines.ts";
import { launcherArguments } from "../support/processes/launcher_arguments.ts";
import { COMMAND_MAX_MS, waitFor } from "../support/wait_for.ts";

const PUBLIC = ["--url=https://foyer.example", "--mail=smtp://foyer:secret@mail.example:587"];

/** Runs `foyer init` in a folder. */
async function init(folder: string, args: string[], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...launcherArguments("foyer"), "init", ...args],
    cwd: folder,
    env,
    stdin: "null",
  }).output();
  return { code, output: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
}

const readIn = async (folder: string) => ({ ...parseEnv(await Deno.readTextFile(`${folder}/.env`)) });
const filesIn = (folder: string) => Array.fromAsync(Deno.readDir(folder), ({ name }) => name);

Deno.test("init --yes writes settings for this machine, which only their owner may read", () =>
  withFolder(async (folder) => {
    const { code, output } = await init(folder, ["--yes"]);
    strictEqual(code, 0, output);
    match(output, /Start the service: deno task foyer start/);
    const { APP_SECRET, ...settings } = await readIn(folder);
    match(APP_SECRET!, /^\S{44}$/);
    deepStrictEqual(settings, {
      APP_ENV: "development",
      BASE_URL: "http://localhost:8000",
      PORT: "8000",
      EMAIL_FROM: "Foyer <no-reply@localhost>",
      REGISTRATION: "open",
      UPLOADS: "on",
    });
    strictEqual((await Deno.stat(`${folder}/.env`)).mode! & 0o777, 0o600);
    deepStrictEqual(await filesIn(folder), [".env"]);
  }));

Deno.test("for an address that others open, init writes settings for production, with all that it warns of", () =>
  withFolder(async (folder) => {
    const { code, output } = await init(folder, [
      ...PUBLIC,
      "--yes",
      "--from=Desk <desk@foyer.example>",
      "--registration=invited",
      "--uploads=off",
    ]);
    strictEqual(code, 0, output);
    match(output, /a proxy with TLS/);
    const { APP_SECRET: _, ...settings } = await readIn(folder);
    deepStrictEqual(settings, {
      APP_ENV: "production",
      BASE_URL: "https://foyer.example",
      EMAIL_URL: "smtp://foyer:secret@mail.example:587",
      EMAIL_FROM: "Desk <desk@foyer.example>",
      REGISTRATION: "invited",
      UPLOADS: "off",
      HOST: "127.0.0.1",
      TRUSTED_PROXIES: "1",
      PEOPLE: "verified",
      PUBLIC_USER_EMAILS: "false",
      LOGIN_COUNTS: "failures",
      PBKDF2_ITERATIONS: "600000",
    });
  }));

Deno.test("init takes over the secret that protects what is there", () =>
  withFolder(async (folder) => {
    const secret = "a-secret-of-an-earlier-start-of-foyer";
    await Deno.mkdir(`${folder}/.data`);
    await Deno.writeTextFile(`${folder}/.data/app_secret`, secret);
    strictEqual((await init(folder, ["--yes"])).code, 0);
    strictEqual((await readIn(folder)).APP_SECRET, secret);
  }));

Deno.test("init changes no file, and writes none that would not start", () =>
  withFolder(async (folder) => {
    for (
      const [args, problem] of [
        [["--yes", "--url=https://foyer.example"], /- EMAIL_API_TOKEN: required in production/],
        [["--yes", "--url=http://foyer.example", "--mail=token"], /- BASE_URL: must be https in production/],
        [["--yes", "--database=mysql://db"], /- DATABASE_URL: must be a postgres:\/\/ URL/],
        [["--yes", "--from=o'neil\\n@foyer.example"], /cannot have this value of EMAIL_FROM/],
        [[], /There is no terminal to ask in/],
      ] as [string[], RegExp][]
    ) {
      const { code, output } = await init(folder, args);
      strictEqual(code, 1, args.join(" "));
      match(output, problem);
      deepStrictEqual(await filesIn(folder), []);
    }
    await Deno.writeTextFile(`${folder}/.env`, "PORT=9000\n");
    const { code, output } = await init(folder, ["--yes"]);
    deepStrictEqual([code, output], [1, ".env exists, and nothing was changed. Edit it, or move it away first\n"]);
    deepStrictEqual(await readIn(folder), { PORT: "9000" });
  }));

Deno.test("in a terminal, init asks what no option answers, again until the answer is right", () =>
  withFolder(async (folder) => {
    const command = [
      Deno.execPath(),
      ...launcherArguments("foyer"),
      "init",
      "--registration=closed",
      "--uploads=photos",
    ];
    const child = new Deno.Command("script", {
      args: ["--quiet", "--return", "--command", command.map((word) => `'${word}'`).join(" "), "/dev/null"],
      cwd: folder,
      stdin: "piped",
      stdout: "piped",
      signal: AbortSignal.timeout(COMMAND_MAX_MS),
    }).spawn();
    let shown = "";
    const reading = child.stdout.pipeThrough(new TextDecoderStream())
      .pipeTo(new WritableStream({ write: (text) => void (shown += text) }));
    const typing = child.stdin.getWriter();
    for (const [index, line] of ["localhost", "http://localhost:9000", "", "smtp://localhost:25"].entries()) {
      await waitFor("a question", () => shown.split("\n> ").length > index + 1);
      await typing.write(new TextEncoder().encode(`${line}\n`));
    }
    await reading;
    const { code } = await child.status;
    await typing.close().catch(() => {}); // the program has ended
    strictEqual(code, 0, shown);
    match(
      shown,
      /Which address will people open\?[^]*- BASE_URL: must be an origin[^]*Which address will people open\?/,
    );
    doesNotMatch(shown, /Who may create an account|What may people store/);
    const { BASE_URL, PORT, DATABASE_URL, EMAIL_URL, REGISTRATION } = await readIn(folder);
    deepStrictEqual([BASE_URL, PORT, DATABASE_URL, EMAIL_URL, REGISTRATION], [
      "http://localhost:9000",
      "9000",
      undefined,
      "smtp://localhost:25",
      "closed",
    ]);
  }));
