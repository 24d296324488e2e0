import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { dirname } from "node:path";
import { readPage } from "../support/app/page_reader.ts";
import { startCluster } from "../support/database/postgres_cluster.ts";
import { buildApp } from "../support/processes/app_process.ts";
import { freePort } from "../support/processes/free_port.ts";
import { launcherArguments } from "../support/processes/launcher_arguments.ts";
import { memoryOf } from "../support/processes/process_probe.ts";
import { register } from "../support/processes/process_session.ts";
import { quarters } from "../support/images/pictures.ts";
import { withFolder } from "../support/database/engines.ts";
import { waitFor } from "../support/wait_for.ts";

const END_TIMEOUT_MS = 20_000;
/** Of its own. The rest of what it occupies is Deno's program, which all processes share and the system can drop. */
const MAX_MEMORY_BYTES = 18_000_000;
/** The launcher's own command, without the process of `deno task`. */
const LAUNCHER = launcherArguments("start");
const TASK = ["task", "--quiet", "start"];
const PNG = new Uint8Array(await quarters().png().toBuffer());
await buildApp();

interface Launched extends AsyncDisposable {
  pid: number;
  url: string;
  /** Waits until all processes have ended, because each of them holds the output open. */
  end(): Promise<{ code: number; output: string }>;
}

/** Starts the service. Waits until it responds, unless it is expected to fail. */
async function launch(args: string[], dataDir: string, env: Record<string, string> = {}): Promise<Launched> {
  return await launchIn(undefined, args, { DATA_DIR: dataDir, ...env });
}

/** Starts the service in a folder, or by default in that of the project. */
async function launchIn(cwd: string | undefined, args: string[], env: Record<string, string> = {}): Promise<Launched> {
  const port = freePort();
  const child = new Deno.Command(Deno.execPath(), {
    args,
    cwd,
    env: { PORT: String(port), ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    detached: true, // the leader of a process group, so that nothing is left behind
  }).spawn();
  const ended = child.output().then(({ code, stdout, stderr }) => ({
    code,
    output: [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join(""),
  }));
  let hasEnded = false;
  ended.then(() => hasEnded = true);
  await waitFor("the service", () => hasEnded || respond(port));
  return {
    pid: child.pid,
    url: `http://localhost:${port}`,
    async end() {
      await waitFor("the end of all processes", () => hasEnded, { timeoutMs: END_TIMEOUT_MS });
      return await ended;
    },
    async [Symbol.asyncDispose]() {
      if (!hasEnded) Deno.kill(-child.pid, "SIGKILL");
      await ended;
    },
  };
}

function respond(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/api/health`).then(async (response) => {
    await response.body?.cancel();
    return response.ok;
  }, () => false);
}

/** Returns the processes that the launcher runs whose command contains a word. */
async function programsOf({ pid }: Launched, word: string): Promise<number[]> {
  const { stdout } = await new Deno.Command("ps", { args: ["--ppid", String(pid), "-o", "pid=,args="] }).output();
  const lines = new TextDecoder().decode(stdout).trim().split("\n");
  return lines.filter((line) => line.includes(word)).map((line) => parseInt(line.trim()));
}

const serviceOf = async (launched: Launched) => (await programsOf(launched, "start.ts"))[0];
const convertersOf = (launched: Launched) => programsOf(launched, "converter_process.ts");

/** Launches the service and uploads an image, which starts a converter. */
async function launchAndUpload(folder: string, env?: Record<string, string>): Promise<Launched> {
  const launched = await launch(LAUNCHER, folder, env);
  const session = await register(launched, "uploader@example.com");
  const response = await session.uploadAvatar(PNG, "image/png");
  strictEqual(response.status, 200, await response.text());
  strictEqual((await convertersOf(launched)).length, 1);
  return launched;
}

type Kill = (launched: Launched) => void;
const SIGNALS: [what: string, args: string[], kill: Kill][] = [
  ["one SIGTERM to the task", TASK, ({ pid }) => Deno.kill(pid, "SIGTERM")],
  [
    "one SIGTERM to the task foyer without a word",
    ["task", "--quiet", "foyer"],
    ({ pid }) => Deno.kill(pid, "SIGTERM"),
  ],
  ["one SIGTERM to the launcher", LAUNCHER, ({ pid }) => Deno.kill(pid, "SIGTERM")],
  ["one SIGINT to the launcher", LAUNCHER, ({ pid }) => Deno.kill(pid, "SIGINT")],
  ["Ctrl+C, which signals all processes,", TASK, ({ pid }) => Deno.kill(-pid, "SIGINT")],
  ["Ctrl+C with foyer start", ["task", "--quiet", "foyer", "start"], ({ pid }) => Deno.kill(-pid, "SIGINT")],
];
for (const [what, args, kill] of SIGNALS) {
  Deno.test(`${what} stops the service once, which ends with 0`, () =>
    withFolder(async (folder) => {
      await using launched = await launch(args, folder);
      kill(launched);
      const { code, output } = await launched.end();
      strictEqual(code, 0, output);
      deepStrictEqual(output.match(/"message":"(stopping|stopped)"/g), ['"message":"stopping"', '"message":"stopped"']);
    }));
}

Deno.test("a signal that the service does not handle ends it too", () =>
  withFolder(async (folder) => {
    await using launched = await launch(LAUNCHER, folder);
    Deno.kill(launched.pid, "SIGHUP");
    strictEqual((await launched.end()).code, 128 + 1);
  }));

Deno.test("the launcher ends with the exit code of the service", () =>
  withFolder(async (folder) => {
    await using refused = await launch(LAUNCHER, folder, { APP_ENV: "production" });
    const { code, output } = await refused.end();
    strictEqual(code, 1);
    match(output, /APP_SECRET/);
    await using killed = await launch(LAUNCHER, folder, { BASE_URI: "https://foyer.example" });
    Deno.kill(await serviceOf(killed), "SIGKILL");
    const end = await killed.end();
    strictEqual(end.code, 128 + 9);
    match(
      end.output,
      /"level":"error","message":"the service has ended","code":137,"signal":"SIGKILL","reason":"it was k/,
    );
    match(
      end.output,
      /BASE_URI is not a setting: did you mean BASE_URL/,
      "the service gets the names of all variables",
    );
  }));

Deno.test("one SIGTERM stops the service and its converters", () =>
  withFolder(async (folder) => {
    await using launched = await launchAndUpload(folder);
    Deno.kill(launched.pid, "SIGTERM");
    strictEqual((await launched.end()).code, 0);
  }));

Deno.test("the service reaches PostgreSQL by its socket", () =>
  withFolder(async (folder) => {
    await using cluster = await startCluster();
    const { port } = new URL(cluster.url);
    const sockets = dirname(cluster.folder);
    await Deno.chmod(sockets, 0o755);
    const env = { DATABASE_URL: `postgres://postgres@/postgres?host=${sockets}&port=${port}` };
    await using launched = await launch(LAUNCHER, folder, env);
    await register(launched, "by-socket@example.com");
  }));

/** Makes a link that leads to a folder. */
async function linked(link: string, to: string): Promise<string> {
  await Deno.mkdir(to, { recursive: true });
  await Deno.symlink(to, link);
  return link;
}
const LINKED: [what: string, dataDir: (folder: string) => Promise<string>][] = [
  ["DATA_DIR is a link", (folder) => linked(`${folder}/link`, `${folder}/disk`)],
  ["a folder above DATA_DIR is a link", async (folder) => `${await linked(`${folder}/link`, `${folder}/disk`)}/data`],
  ["DATA_DIR stores its files on another disk", async (folder) => {
    await Deno.mkdir(`${folder}/data`);
    await linked(`${folder}/data/objects`, `${folder}/disk`);
    return `${folder}/data`;
  }],
];
for (const [what, dataDir] of LINKED) {
  Deno.test(`the service starts, and stores an image, where ${what}`, () =>
    withFolder(async (folder) => {
      await using _launched = await launchAndUpload(await dataDir(folder));
    }));
}

Deno.test("every other path of a setting may lead through a link", () =>
  withFolder(async (folder) => {
    await linked(`${folder}/link`, `${folder}/disk`);
    await Deno.mkdir(`${folder}/disk/texts`);
    await Deno.mkdir(`${folder}/disk/tmp`);
    await Deno.copyFile("static/mark.svg", `${folder}/disk/logo.svg`);
    await Deno.writeTextFile(`${folder}/disk/site.css`, ":root { --radius: 4px; }");
    await Deno.writeTextFile(`${folder}/disk/clients.json`, '{"clients": []}');
    const link = `${folder}/link`;
    await using _launched = await launchAndUpload(`${link}/data`, {
      AUDIT_LOG: `${link}/audit.log`,
      TEXTS_DIR: `${link}/texts`,
      CLIENTS_FILE: `${link}/clients.json`,
      BRAND_LOGO: `${link}/logo.svg`,
      BRAND_CSS: `${link}/site.css`,
      TMPDIR: `${link}/tmp`,
    });
    ok((await Deno.stat(`${folder}/disk/audit.log`)).isFile);
  }));

Deno.test("in any folder, the service and its commands read its .env, and keep data there", () =>
  withFolder(async (folder) => {
    await Deno.copyFile("static/mark.svg", `${folder}/logo.svg`);
    await Deno.writeTextFile(`${folder}/.env`, 'APP_NAME="Blue # Door"\nBRAND_LOGO=logo.svg\nPORT=1\n');
    await using launched = await launchIn(folder, LAUNCHER);
    const session = await register(launched, "uploader@example.com");
    strictEqual((await session.uploadAvatar(PNG, "image/png")).status, 200);
    match((await readPage(fetch(launched.url))).title, /Blue # Door/);
    ok((await Deno.stat(`${folder}/.data/database`)).isDirectory);
    const listed = await new Deno.Command(Deno.execPath(), {
      args: [...launcherArguments("foyer"), "users", "list"],
      cwd: folder,
    })
      .output();
    match(new TextDecoder().decode(listed.stdout), /uploader@example\.com/);
  }));

Deno.test("production refuses a .env that others may change", () =>
  withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/.env`, "APP_ENV=production\n");
    await Deno.chmod(`${folder}/.env`, 0o666);
    await using refused = await launchIn(folder, LAUNCHER);
    deepStrictEqual(await refused.end(), {
      code: 1,
      output: "Other users may change .env. Production refuses that: chmod go-w .env\n",
    });
  }));

Deno.test("converters start even if no program `nice` exists", () =>
  withFolder(async (folder) => {
    await using _launched = await launchAndUpload(folder, { PATH: "/nowhere" });
  }));

Deno.test("a converter that is killed is started again for the next image", () =>
  withFolder(async (folder) => {
    await using launched = await launchAndUpload(folder);
    const [first] = await convertersOf(launched);
    Deno.kill(first, "SIGKILL");
    await waitFor("its end", async () => (await convertersOf(launched)).length === 0);
    const session = await register(launched, "another@example.com");
    strictEqual((await (await session.uploadAvatar(PNG, "image/png")).json()).success, true);
    ok((await convertersOf(launched))[0] !== first);
  }));

Deno.test("the service and its converters end even if the launcher is killed", () =>
  withFolder(async (folder) => {
    await using launched = await launchAndUpload(folder);
    const [converter] = await convertersOf(launched);
    Deno.kill(launched.pid, "SIGKILL");
    await waitFor("the end of the converter", () => Deno.stat(`/proc/${converter}`).then(() => false, () => true));
    const { output } = await launched.end();
    match(output, /"message":"stopping, because the launcher has ended"[\s\S]*"message":"stopped"/);
  }));

Deno.test(`the launcher takes at most ${MAX_MEMORY_BYTES / 1e6} MB of its own`, () =>
  withFolder(async (folder) => {
    await using launched = await launch(LAUNCHER, folder);
    const bytes = await memoryOf(launched, "RssAnon");
    ok(bytes <= MAX_MEMORY_BYTES, `${bytes} bytes`);
  }));

Deno.test("the launcher needs no deno in PATH, and passes on variables that load libraries", async () => {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", "foyer", "--help"],
    env: { PATH: "/nowhere", LD_LIBRARY_PATH: "/nowhere" },
  }).output();
  ok(success, new TextDecoder().decode(stderr));
  match(new TextDecoder().decode(stdout), /^Usage: /);
});

Deno.test("PORT=0 listens on a free port, and the log has its address", () =>
  withFolder(async (folder) => {
    const child = new Deno.Command(Deno.execPath(), {
      args: LAUNCHER,
      env: { DATA_DIR: folder, PORT: "0", LOG_FORMAT: "json" },
      stdin: "null",
      stdout: "piped",
      stderr: "null",
      detached: true,
    }).spawn();
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    let printed = "";
    let url: string | undefined;
    while (url === undefined) {
      const { value, done } = await reader.read();
      ok(!done, printed);
      printed += value;
      [, url] = /"message":"listening","url":"(http:\/\/localhost:[1-9]\d+)"/.exec(printed) ?? [];
    }
    strictEqual((await (await fetch(`${url}/api/health`)).json()).status, "ok");
    Deno.kill(child.pid, "SIGTERM");
    await reader.cancel();
    strictEqual((await child.status).code, 0);
  }));
