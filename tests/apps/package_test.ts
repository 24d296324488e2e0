import { match, ok, strictEqual } from "node:assert/strict";
import { cp } from "node:fs/promises";
import { withFolder } from "../support/database/engines.ts";
import { quarters } from "../support/images/pictures.ts";
import { freePort } from "../support/processes/free_port.ts";
import { register } from "../support/processes/process_session.ts";
import { waitFor } from "../support/wait_for.ts";

/** The contract of a start is three seconds. A machine that runs other tests takes longer. */
const START_TIMEOUT_MS = 90_000;
const END_TIMEOUT_MS = 30_000;
/** Nothing answers there, so a start that downloads something fails. */
const NO_REGISTRY = { NPM_CONFIG_REGISTRY: "http://127.0.0.1:1", npm_config_registry: "http://127.0.0.1:1" };

/** Runs a program to its end. Returns what it prints. */
async function run(program: string, args: string[], options: Deno.CommandOptions = {}): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, { args, ...options }).output();
  const printed = new TextDecoder().decode(stdout);
  ok(success, `${program} ${args.join(" ")}: ${printed}${new TextDecoder().decode(stderr)}`);
  return printed;
}

/** Starts the installed package, and waits until it serves. */
async function startPackage(folder: string, env: Record<string, string>) {
  const port = String(freePort());
  const startedAt = performance.now();
  const child = new Deno.Command("npx", {
    args: ["foyer-server"],
    cwd: folder,
    env: { ...env, ...NO_REGISTRY, PORT: port },
    stdin: "null",
    stdout: "piped",
    detached: true, // the leader of a process group, so that nothing is left behind
  }).spawn();
  let log = "";
  let hasEnded = false;
  const reading = child.stdout.pipeThrough(new TextDecoderStream())
    .pipeTo(new WritableStream({ write: (text) => void (log += text) })).then(() => hasEnded = true);
  await waitFor("the start", () => hasEnded || /"there is no admin yet/.test(log), { timeoutMs: START_TIMEOUT_MS });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`started in ${seconds} s`);
  return {
    url: `http://localhost:${port}`,
    log: () => log,
    /** Sends one signal to npx. All processes have ended once none of them holds the output open. */
    async stop() {
      child.kill("SIGTERM");
      await waitFor("the end of all processes", () => hasEnded, { timeoutMs: END_TIMEOUT_MS });
      await child.status;
    },
    async [Symbol.asyncDispose]() {
      if (!hasEnded) Deno.kill(-child.pid, "SIGKILL");
      await reading;
    },
  };
}

const packages = (await run(Deno.execPath(), ["task", "--quiet", "package"])).split("\n");

/** Returns the path of a package that the task has made. */
function packageNamed(name: string): string {
  return packages.find((path) => path.includes(name))!;
}

Deno.test("what npm installs from the package starts, converts images, runs commands and ends, without network", () =>
  withFolder(async (folder) => {
    const file = packageNamed("foyer-server");
    ok((await Deno.stat(file)).size < 1_200_000, "about a megabyte without its packages");
    const app = `${folder}/app`;
    await Deno.mkdir(app);
    await run("npm", ["install", "--no-audit", "--no-fund", `--cache=${folder}/npm`, file], { cwd: app });

    const env = { DENO_DIR: `${folder}/deno` };
    await using foyer = await startPackage(app, env);
    const [, link] = /"link":"([^"]*\/setup\?token=[^"]*)"/.exec(foyer.log())!;
    const setup = await fetch(link);
    strictEqual(setup.status, 200);
    ok((await setup.text()).includes('type="password"'), "the form for the first admin");
    const session = await register(foyer, "uploader@example.com");
    const uploaded = await session.uploadAvatar(new Uint8Array(await quarters().png().toBuffer()), "image/png");
    strictEqual(uploaded.status, 200, await uploaded.text());
    for (const path of ["docs", "docs/configuration.md", "styles.css"]) {
      const response = await fetch(`${foyer.url}/${path}`);
      await response.body?.cancel();
      strictEqual(response.status, 200, path);
    }
    const users = await run("npx", ["foyer-server", "users", "list"], { cwd: app, env: { ...env, ...NO_REGISTRY } });
    ok(users.includes("uploader@example.com"), users);
    ok((await run("npx", ["foyer", "--help"], { cwd: app, env })).startsWith("Usage: npx foyer-server"));
    const backup = `${folder}/backup.tar`;
    await run("npx", ["foyer-server", "export", backup], { cwd: app, env });
    await foyer.stop();
    const rehearsal = ["foyer-server", "rehearse", backup, "--files=.data/objects", `--back=${file}`];
    // None of these settings may reach the older version: it would not start.
    const elsewhere = { DATABASE_URL: "postgres://foyer@127.0.0.1:1/live", HOST: "192.0.2.1", SIGN_IN_CODES: "true" };
    match(
      await run("npx", rehearsal, { cwd: app, env: { ...env, ...elsewhere } }),
      /Someone could log in to .*\n\nNobody would be locked out/,
    );
    ok(foyer.log().includes('"message":"stopped"'));

    await using again = await startPackage(app, env);
    await again.stop();
  }));

Deno.test("the test that a product has of its own passes with both packages", () =>
  withFolder(async (folder) => {
    const product = `${folder}/hono`;
    await cp(new URL("products/hono", import.meta.url), product, { recursive: true });
    const files = [packageNamed("foyer-client"), packageNamed("foyer-server")];
    await run("npm", ["install", "--no-audit", "--no-fund", ...files], { cwd: product });
    ok(/^# pass 3$/m.test(await run("node", ["--test"], { cwd: product })));
  }));
