/**
 * The launcher: `launch.ts start` runs start.ts with the app's permissions, and `launch.ts foyer --help` runs foyer.ts.
 * It adds the settings of the file `.env`. Beside the service, it starts image converters. It forwards signals to the
 * program and ends with its exit code. It loads no packages, because it stays in memory. When it ends, the service ends
 * too.
 */
import { tmpdir } from "node:os";
import { createLog, messageOf } from "../log/log.ts";
import { isLogReadable, readableLine } from "../log/readable_log.ts";
import { readEnvFile } from "../config/env_file.ts";
import { ALLOCATION, appArguments, type Program } from "./app_arguments.ts";
import { listenForConverters } from "./converters.ts";

/** Signals that end a process. A signal to the launcher alone must not leave the program behind. */
const ENDING: Deno.Signal[] = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"];

/** The settings that may name a file. */
const OWN_FILES = ["BRAND_LOGO", "BRAND_LOGO_DARK", "BRAND_CSS", "CLIENTS_FILE"];

const KILLED = "it was killed, by a person or by the system: the log of the system says whether memory was short";

await addEnvFile();
const { program, args } = chosen(Deno.args as [Program, ...string[]]);
// Listen before the start: otherwise, a signal that arrives in between would end the launcher alone.
for (const signal of ENDING) Deno.addSignalListener(signal, () => forward(signal));
const converters = program === "start" ? listenForConverters() : undefined;
const paths = {
  dataDir: Deno.env.get("DATA_DIR"),
  databaseUrl: Deno.env.get("DATABASE_URL"),
  auditLog: program === "start" ? Deno.env.get("AUDIT_LOG") || undefined : undefined,
  textsDir: Deno.env.get("TEXTS_DIR") || undefined,
  converterFolder: converters?.folder,
  ownFiles: OWN_FILES.flatMap((name) => Deno.env.get(name) || []).filter((file) => !/^https:|,/i.test(file)),
};
const child = new Deno.Command(Deno.execPath(), {
  args: program === "task start" ? ["task", "--quiet", "start"] : appArguments(program, paths, args),
  env: {
    VARIABLE_NAMES: namesOfVariables(),
    ...program === "foyer" && { TMPDIR: tmpdir() }, // the folder that its permissions name
    ...converters && {
      ...ALLOCATION,
      CONVERTER_FOLDER: converters.folder,
      ...Deno.env.get("PORT") === "0" && { PORT: freePort() },
    },
  },
}).spawn();
const { code, signal } = await child.status;
converters?.[Symbol.dispose]();
// A service that ends in an orderly way, or does not start, has said so itself.
if (program === "start" && (signal !== null || code > 1)) logEnd();
Deno.exit(code);

/** Adds the settings of the file `.env` in the current folder to the environment, also to that of the programs. */
async function addEnvFile(): Promise<void> {
  try {
    for (const [name, value] of Object.entries(await readEnvFile(Deno.env.toObject()))) Deno.env.set(name, value);
  } catch (error) {
    console.error(messageOf(error));
    Deno.exit(1);
  }
}

/**
 * Returns the program to run. `foyer` is the command for all of them: `foyer start`, also without a word, is the task
 * `start`, which builds first. `foyer start --help` explains, as for every command.
 */
function chosen([program, ...args]: [Program, ...string[]]): { program: Program | "task start"; args: string[] } {
  if (program !== "foyer" || args.length > 1) return { program, args };
  const [word = "start"] = args;
  if (word === "start") return { program: "task start", args: [] };
  return word === "migrate" ? { program: word, args: [] } : { program, args };
}

/** Says how the service has ended: one that is killed cannot say it. */
function logEnd(): void {
  const isByUs = signal !== null && ENDING.includes(signal);
  const logFormat = Deno.env.get("LOG_FORMAT") || undefined;
  const isReadable = isLogReadable({ logFormat, isProduction: Deno.env.get("APP_ENV") === "production" });
  createLog(undefined, isReadable ? readableLine : undefined)(
    isByUs ? "info" : "error",
    "the service has ended",
    { code, signal, ...isByUs ? {} : { reason: signal === "SIGKILL" ? KILLED : "it has crashed" } },
  );
}

/** Finds a free port for PORT=0. The service needs a number: its isolates share the port, and its links have it. */
function freePort(): string {
  using listener = Deno.listen({ hostname: Deno.env.get("HOST") || "127.0.0.1", port: 0 });
  return String(listener.addr.port);
}

/** The programs find misspelled settings among them. Only the names, because it may not read other variables. */
function namesOfVariables(): string {
  return Object.keys(Deno.env.toObject()).join(" ");
}

function forward(signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch { /* It has just ended. */ }
}
