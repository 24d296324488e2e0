import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { delay } from "../support/delay.ts";
import { writeAccounts } from "../support/database/backups.ts";
import { testOnEachEngine, withFolder } from "../support/database/engines.ts";
import { type AppProcess, buildApp, startApp } from "../support/processes/app_process.ts";
import { COMMAND_MAX_MS } from "../support/wait_for.ts";

await buildApp();

const MANY = 10_000;

/** Runs a command in a shell, so that its output can be piped. Without a terminal. */
async function shell(command: string, dataDir: string, env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await new Deno.Command("bash", {
    args: ["-o", "pipefail", "-c", `foyer() { "$DENO" task --quiet foyer "$@"; }; ${command}`],
    env: { DENO: Deno.execPath(), DATA_DIR: dataDir, DENO_JOBS: "", ...env }, // the test runner sets DENO_JOBS
    stdin: "null",
    signal: AbortSignal.timeout(COMMAND_MAX_MS),
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** Returns the connection of a command. Fails if the command ends without one. */
async function accept(listener: Deno.UnixListener, asked: Promise<{ stderr: string }>): Promise<Deno.Conn> {
  const failure = asked.then(({ stderr }) => Promise.reject(new Error(`No connection: ${stderr}`)));
  return await Promise.race([listener.accept(), failure]);
}

/** Creates an account by a command, and checks that the service knows it. */
async function createBeside(app: AppProcess | null, dataDir: string, email: string): Promise<void> {
  const { code, stdout, stderr } = await shell(`foyer users create ${email} Ann --json`, dataDir);
  strictEqual(code, 0, stderr);
  const { link } = JSON.parse(stdout);
  if (app === null) return;
  const path = new URL(link).pathname + new URL(link).search;
  strictEqual((await (await fetch(app.url + path)).text()).includes("Choose a password"), true, link);
}

Deno.test("commands work beside a service with the embedded database, after kill -9 of it, and beside the next one", () =>
  withFolder(async (dataDir) => {
    {
      await using app = await startApp({ dataDir });
      strictEqual((await Deno.stat(`${dataDir}/foyer.sock`)).mode! & 0o777, 0o600);
      await createBeside(app, dataDir, "first@example.org");
      const unknown = await shell("foyer users show nobody@example.org", dataDir);
      deepStrictEqual([unknown.code, unknown.stdout, unknown.stderr], [1, "", "User not found\n"]);
      const checked = await shell("foyer check", dataDir, { PORT: "80a" });
      match(checked.stdout, /^With the settings of the running service:\nPART .*\nconfiguration +works/);
      const atOnce = await shell(
        "for i in 1 2 3; do foyer users create p$i@example.org Pat >/dev/null & p+=($!); done; for p in ${p[@]}; do wait $p || exit 9; done",
        dataDir,
      );
      strictEqual(atOnce.code, 0, atOnce.stderr);
      const first = await shell("foyer users list | head -1 && foyer users list | true", dataDir);
      deepStrictEqual([first.code, first.stderr], [0, ""], "a pipe that closes early is no error");
      match(first.stdout, /^EMAIL +NAME[^\n]*\n$/);
      app.kill("SIGKILL");
      await app.ended;
    }
    strictEqual((await Deno.lstat(`${dataDir}/foyer.sock`)).isSocket, true, "the killed service has left its socket");
    await createBeside(null, dataDir, "second@example.org");
    await using app = await startApp({ dataDir });
    await createBeside(app, dataDir, "third@example.org");
    const { data } = JSON.parse((await shell("foyer users list --json", dataDir)).stdout);
    const emails = data.map(({ email }: { email: string }) => email).sort();
    const expected = ["first", "p1", "p2", "p3", "second", "third"].map((name) => `${name}@example.org`);
    deepStrictEqual(emails, expected);
    app.kill("SIGTERM");
    strictEqual(await app.ended, 0);
    strictEqual(await Deno.lstat(`${dataDir}/foyer.sock`).catch(() => null), null, "a stopped service leaves none");
  }));

Deno.test("commands without a service take turns at the embedded database", () =>
  withFolder(async (dataDir) => {
    {
      await using _app = await startApp({ dataDir }); // creates the database
    }
    const atOnce = await shell(
      "for i in 1 2 3; do foyer users create p$i@example.org Pat >/dev/null & p+=($!); done; for p in ${p[@]}; do wait $p || exit 9; done",
      dataDir,
    );
    strictEqual(atOnce.code, 0, atOnce.stderr);
    const { data } = JSON.parse((await shell("foyer users list --json", dataDir)).stdout);
    strictEqual(data.length, 3);
  }));

Deno.test("a command waits for a service that starts: it has the database open before it listens", () =>
  withFolder(async (dataDir) => {
    await Deno.mkdir(`${dataDir}/database`);
    using lock = await Deno.open(`${dataDir}/database.lock`, { write: true, create: true });
    await lock.lock(true);
    const asked = shell("foyer users list", dataDir);
    await delay(1_000); // a slow command finds the socket at once, and the test still passes
    using listener = Deno.listen({ transport: "unix", path: `${dataDir}/foyer.sock` });
    using connection = await accept(listener, asked);
    await connection.write(new TextEncoder().encode('{"report":{"text":"from the service","value":null}}'));
    await connection.closeWrite();
    deepStrictEqual(await asked, { code: 0, stdout: "from the service\n", stderr: "" });
  }));

Deno.test("a service that is killed during a command leaves it with a sentence and exit code 1", () =>
  withFolder(async (dataDir) => {
    using listener = Deno.listen({ transport: "unix", path: `${dataDir}/foyer.sock` });
    const asked = shell("foyer users list", dataDir);
    (await accept(listener, asked)).close();
    const { code, stdout, stderr } = await asked;
    deepStrictEqual([code, stdout], [1, ""]);
    match(stderr, /^The service ended before it answered\. [^\n]*\n$/);
  }));

testOnEachEngine(
  "commands beside a service list 10,000 people, also page by page and into a pipe that closes early",
  async ({ env }, dataDir) => {
    const run = (command: string) => shell(command, dataDir, env);
    await writeAccounts(`${dataDir}/accounts.tar`, { count: MANY });
    const imported = await run(`foyer import ${dataDir}/accounts.tar --unsigned`);
    strictEqual(imported.code, 0, imported.stderr);
    // No one has confirmed their address, and the service would delete them.
    await using _app = await startApp({ dataDir, env: { ...env, UNVERIFIED_KEPT_DAYS: "0" } });
    const lines = await run(`foyer users list --limit ${MANY}`);
    deepStrictEqual([lines.code, lines.stderr, lines.stdout.trimEnd().split("\n").length], [0, "", MANY + 1]);
    const first = await run(`foyer users list --limit ${MANY} | head -1`);
    deepStrictEqual([first.code, first.stderr], [0, ""]);
    match(first.stdout, /^EMAIL +NAME[^\n]*\n$/);
    const ids: string[] = [];
    for (let next: string | null = ""; next !== null;) {
      const { stdout } = await run(`foyer users list --json --limit 4000 ${next && `--after ${next}`}`);
      const page = JSON.parse(stdout);
      ids.push(...page.data.map(({ id }: { id: string }) => id));
      next = page.next;
    }
    deepStrictEqual([ids.length, new Set(ids).size], [MANY, MANY]);
    const last = `user${MANY - 1}@example.com`;
    match((await run(`foyer users show ${last}`)).stdout, new RegExp(`^Ann <${last}>`));
  },
);
