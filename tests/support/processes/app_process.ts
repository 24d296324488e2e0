import { ALLOCATION, appArguments } from "../../../lib/server/app_arguments.ts";
import { listenForConverters } from "../../../lib/server/converters.ts";
import { copyDatabaseFolder } from "../database/database_template.ts";
import { delay } from "../delay.ts";
import { freePort } from "./free_port.ts";
import { NO_LIMITS } from "../app/no_limits.ts";

/** The app in its own process. It is started as the launcher of the task `start` does, which this test replaces. */
export interface AppProcess {
  url: string;
  pid: number;
  /** Returns the processes of its image converters. */
  converterPids(): number[];
  /** Returns everything printed so far. */
  output(): string;
  kill(signal: Deno.Signal): void;
  /** Resolves with the exit code when the process has ended. */
  ended: Promise<number>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface StartOptions {
  dataDir: string;
  /** Whether the app must create its embedded database. Otherwise, a new folder gets one that is already migrated. */
  createsDatabase?: boolean;
  /** By default, a free port. */
  port?: number;
  env?: Record<string, string>;
  /** Whether the limits of the app apply, except those that `env` changes. By default, most are off. */
  isLimited?: boolean;
  /** The project folder. By default, this one. */
  cwd?: string;
  /** Runs the build first, as the task does. */
  withBuild?: boolean;
  /** A shell command to run before it, such as `ulimit -n 64`. */
  prelude?: string;
  /** A command to run the app with, such as `setpriv ...`. */
  through?: string;
  /** The path of a module to load before the app. */
  preload?: string;
}

/** On every machine. Without it, the app would take the variable that limits how many test files run at once. */
const ISOLATES = { DENO_JOBS: "2" };
const START_TIMEOUT_MS = 60_000;
const RECOVERY_TIMEOUT_MS = 10_000;

/** Builds the app. Test files do this once, so that their apps start sooner. */
export async function buildApp(cwd?: string): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), { args: ["task", "build"], cwd }).output();
  if (!success) throw new Error(`The build failed: ${new TextDecoder().decode(stderr)}`);
}

/** Starts the app. Waits until it responds, unless `awaitReady` is false. */
export async function startApp(options: StartOptions, { awaitReady = true } = {}): Promise<AppProcess> {
  const port = options.port ?? freePort();
  if (!options.createsDatabase && options.env?.DATABASE_URL === undefined) await addDatabase(options.dataDir);
  const converters = listenForConverters();
  const child = spawn(options, { port, converterFolder: converters.folder });
  const printed: string[] = [];
  const reading = Promise.all([child.stdout, child.stderr].map((stream) => collect(stream, printed)));
  const ended = child.status.then(async ({ code }) => {
    await reading;
    converters[Symbol.dispose]();
    return code;
  });
  let hasEnded = false;
  ended.then(() => hasEnded = true);

  const app: AppProcess = {
    url: `http://localhost:${port}`,
    pid: child.pid,
    converterPids: converters.pids,
    output: () => printed.join(""),
    kill: (signal) => child.kill(signal),
    ended,
    async [Symbol.asyncDispose]() {
      if (!hasEnded) child.kill("SIGKILL");
      await ended;
    },
  };
  if (awaitReady) await untilReady(app, () => hasEnded);
  return app;
}

async function addDatabase(dataDir: string): Promise<void> {
  await Deno.mkdir(dataDir, { recursive: true });
  const folder = `${dataDir}/database`;
  const isMissing = await Deno.stat(folder).then(() => false, () => true);
  if (isMissing) await copyDatabaseFolder(folder);
}

/** Waits until the app is healthy again after a fault. */
export async function untilHealthy(app: AppProcess): Promise<void> {
  const deadline = Date.now() + RECOVERY_TIMEOUT_MS;
  while (true) {
    const response = await fetch(`${app.url}/api/health`, { signal: AbortSignal.timeout(1_000) }).catch(() => null);
    await response?.body?.cancel();
    if (response?.status === 200) return;
    if (Date.now() > deadline) throw new Error(`The app did not become healthy again: ${app.output()}`);
    await delay(50);
  }
}

function spawn(
  { dataDir, env, isLimited = false, cwd, withBuild, prelude = ":", through = "", preload }: StartOptions,
  { port, converterFolder }: { port: number; converterFolder: string },
): Deno.ChildProcess {
  const build = withBuild ? '"$DENO" task --quiet build' : ":";
  const [run, ...args] = appArguments("start", {
    dataDir: env?.DATA_DIR ?? dataDir,
    databaseUrl: env?.DATABASE_URL,
    auditLog: env?.AUDIT_LOG,
    converterFolder,
    ownFiles: env?.CLIENTS_FILE === undefined ? [] : [env.CLIENTS_FILE],
  });
  const command = [Deno.execPath(), run, ...preload === undefined ? [] : [`--preload=${preload}`], ...args];
  return new Deno.Command("sh", {
    args: ["-c", `${prelude} && ${build} && exec ${through} "$@"`, "sh", ...command],
    cwd,
    env: {
      DENO: Deno.execPath(),
      DATA_DIR: dataDir,
      PORT: String(port),
      CONVERTER_FOLDER: converterFolder,
      ...ALLOCATION,
      ...ISOLATES,
      ...isLimited ? {} : NO_LIMITS,
      ...env,
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

async function untilReady(app: AppProcess, hasEnded: () => boolean): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline && !hasEnded()) {
    const response = await fetch(`${app.url}/api/health`).catch(() => null);
    await response?.body?.cancel();
    if (response?.ok) return;
    await delay(20);
  }
  await app[Symbol.asyncDispose]();
  throw new Error(`The app did not start: ${app.output()}`);
}

async function collect(stream: ReadableStream<Uint8Array<ArrayBuffer>>, printed: string[]): Promise<void> {
  for await (const text of stream.pipeThrough(new TextDecoderStream())) printed.push(text);
}
