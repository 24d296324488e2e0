import { delay } from "./delay.ts";
import { freePort } from "./free_port.ts";
import { NO_LIMITS } from "./no_limits.ts";

/** The app as its operator runs it: a process of its own, started as the task `start` does. */
export interface AppProcess {
  url: string;
  pid: number;
  /** Everything that it has printed so far. */
  output(): string;
  kill(signal: Deno.Signal): void;
  /** Resolves with the exit code once the process has ended. */
  ended: Promise<number>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface StartOptions {
  dataDir: string;
  /** By default a free one. */
  port?: number;
  env?: Record<string, string>;
  /** Another working copy than this one. */
  cwd?: string;
  /** Build first if need be, as the task does. */
  withBuild?: boolean;
  /** Of the shell that starts it, such as `ulimit -n 64`. */
  prelude?: string;
  /** A command that runs the app, such as `setpriv ...`. */
  through?: string;
}

/** What the task `start` runs after the build, with the same permissions and flags. */
const { prepare: PREPARE, run: RUN } = await appCommands("start");

/** The shell commands of a task that runs the app: those that prepare it, and the one that runs it. */
export async function appCommands(task: string): Promise<{ prepare: string; run: string }> {
  const { tasks } = JSON.parse(await Deno.readTextFile(new URL("../../deno.json", import.meta.url)));
  const command: string = tasks[task].command.replaceAll(/\bdeno (?=run|eval)/g, '"$DENO" ');
  const commands = command.split(" && ").filter((part) => !part.endsWith(" build"));
  return { prepare: commands.slice(0, -1).join(" && "), run: commands.at(-1)! };
}

const START_TIMEOUT_MS = 60_000;
const RECOVERY_TIMEOUT_MS = 10_000;

/** Builds the app once, as starting it would. */
export async function buildApp(cwd?: string): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), { args: ["task", "build"], cwd }).output();
  if (!success) throw new Error(`The build failed: ${new TextDecoder().decode(stderr)}`);
}

/** Starts the app on a free port, and waits until it answers unless `awaitReady` is false. */
export async function startApp(options: StartOptions, { awaitReady = true } = {}): Promise<AppProcess> {
  const port = options.port ?? freePort();
  const child = spawn(options, port);
  const printed: string[] = [];
  const reading = Promise.all([child.stdout, child.stderr].map((stream) => collect(stream, printed)));
  const ended = child.status.then(async ({ code }) => {
    await reading;
    return code;
  });
  let hasEnded = false;
  ended.then(() => hasEnded = true);

  const app: AppProcess = {
    url: `http://localhost:${port}`,
    pid: child.pid,
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

/** Waits until an app that was cut off from what it needs is well again. */
export async function untilHealthy(app: AppProcess): Promise<void> {
  const deadline = Date.now() + RECOVERY_TIMEOUT_MS;
  while (true) {
    const response = await fetch(`${app.url}/api/health`, { signal: AbortSignal.timeout(1_000) }).catch(() => null);
    await response?.body?.cancel();
    if (response?.status === 200) return;
    if (Date.now() > deadline) throw new Error(`The app does not answer any more: ${app.output()}`);
    await delay(50);
  }
}

function spawn(
  { dataDir, env, cwd, withBuild, prelude = ":", through = "" }: StartOptions,
  port: number,
): Deno.ChildProcess {
  const build = withBuild ? '"$DENO" task --quiet build' : ":";
  return new Deno.Command("sh", {
    args: ["-c", `${prelude} && ${build} && ${PREPARE} && exec ${through} ${RUN}`],
    cwd,
    env: { DENO: Deno.execPath(), DATA_DIR: dataDir, PORT: String(port), ...NO_LIMITS, ...env },
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
