/**
 * The launcher: `launch.ts start` runs start.ts with the app's permissions, and `launch.ts foyer --help` runs foyer.ts.
 * Beside the service, it starts image converters. It forwards signals to the program and ends with its exit code. It
 * loads no packages, because it stays in memory.
 */
import { ALLOCATION, appArguments, type Program } from "./app_arguments.ts";
import { listenForConverters } from "./converters.ts";

/** Signals that end a process. A signal to the launcher alone must not leave the program behind. */
const ENDING: Deno.Signal[] = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"];

/** The settings that may name a file. */
const OWN_FILES = ["BRAND_LOGO", "BRAND_LOGO_DARK", "BRAND_CSS", "CLIENTS_FILE"];

const [program, ...args] = Deno.args as [Program, ...string[]];
// Listen before the start: otherwise, a signal that arrives in between would end the launcher alone.
for (const signal of ENDING) Deno.addSignalListener(signal, () => forward(signal));
const converters = program === "start" ? listenForConverters() : undefined;
const paths = {
  dataDir: Deno.env.get("DATA_DIR"),
  auditLog: program === "start" ? Deno.env.get("AUDIT_LOG") || undefined : undefined,
  textsDir: Deno.env.get("TEXTS_DIR") || undefined,
  converterFolder: converters?.folder,
  ownFiles: OWN_FILES.flatMap((name) => Deno.env.get(name) || []).filter((file) => !/^https:|,/i.test(file)),
};
const child = new Deno.Command(Deno.execPath(), {
  args: appArguments(program, paths, args),
  env: converters && { ...ALLOCATION, CONVERTER_FOLDER: converters.folder, VARIABLE_NAMES: namesOfVariables() },
}).spawn();
const { code } = await child.status;
converters?.[Symbol.dispose]();
Deno.exit(code);

/** The service finds misspelled settings among them. Only the names, because it may not read other variables. */
function namesOfVariables(): string {
  return Object.keys(Deno.env.toObject()).join(" ");
}

function forward(signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch { /* It has just ended. */ }
}
