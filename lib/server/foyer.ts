/** `deno task foyer`: runs a command for operators. Exit codes: 0, 1 (failed), 2 (wrong usage). */
import { removeCopy } from "../backup/database_copy.ts";
import type { Command } from "../command_line/command.ts";
import { COMMANDS, GROUPS } from "../command_line/commands.ts";
import { type CommandCall, type Outcome, runCommand } from "../command_line/run.ts";
import { parseCommandLine } from "../command_line/parse.ts";
import { createLog, messageOf } from "../log.ts";
import type { Services } from "../services.ts";
import { loadConfig } from "./load_config.ts";
import { DatabaseInUseError } from "../../db/database_errors.ts";
import { DEFAULT_DATA_DIR } from "./app_arguments.ts";
import { forbidMigrations } from "../../db/database_use.ts";
import { askService } from "./command_socket.ts";

/** How long to wait for a service that starts: two seconds. */
const START_ATTEMPTS = 40;
const START_STEP_MS = 50;

// A reader that has seen enough, such as `head`, closes the pipe. `console.log` ignores that.
const print = console.log;
// Standard output is for the result, so the log goes to standard error.
console.log = console.error;

const folder = decodeURIComponent(new URL("../..", import.meta.url).pathname);
const line = parseCommandLine(Deno.args, { commands: COMMANDS, groups: GROUPS, folder });
if ("text" in line) {
  (line.isWrong ? console.error : print)(line.text);
  Deno.exit(line.isWrong ? 2 : 0);
}
const outcome = await run({ name: line.command.name, input: line.input }, line.command);
if ("failure" in outcome) {
  console.error(outcome.failure);
  Deno.exit(1);
}
const { text, value, hasFailed } = outcome.report;
print(line.isJson ? JSON.stringify(value) : text);
Deno.exit(hasFailed ? 1 : 0); // native threads would keep the process alive

/**
 * The service that has the embedded database open runs the command, or gives this process a copy to run it on. Otherwise,
 * this process does.
 */
async function run(call: CommandCall, { besideService, createsDatabase }: Command): Promise<Outcome> {
  const hasServer = Boolean(Deno.env.get("DATABASE_URL"));
  const dataDir = Deno.env.get("DATA_DIR") || DEFAULT_DATA_DIR;
  const ask = besideService === "on a copy" ? runOnCopy : askService;
  const mayAsk = !hasServer && besideService !== "refused";
  try {
    return mayAsk && await ask(dataDir, call) || await runHere(call, createsDatabase);
  } catch (error) {
    if (!(error instanceof DatabaseInUseError)) return failed(error);
    if (!mayAsk) return { failure: "Stop the service first: it has the embedded database open" };
    return await untilAnswered(() => ask(dataDir, call)) ?? failed(error);
  }
}

/** Runs a command that only reads on a copy of the database, which the service makes. Returns null if no service listens. */
async function runOnCopy(dataDir: string, call: CommandCall): Promise<Outcome | null> {
  const copied = await askService(dataDir, { name: "copy", input: {} });
  if (copied === null || "failure" in copied) return copied;
  const copy = String(copied.report.value);
  try {
    await using services = await openCopy(copy);
    return await runCommand(services, call, { commands: COMMANDS });
  } finally {
    await removeCopy(copy);
  }
}

/** The services of a command that only reads. They have nothing else. */
async function openCopy(directory: string): Promise<Services & AsyncDisposable> {
  const { openDatabase } = await import("../../db/connection.ts");
  const config = await loadConfig(Deno.env.toObject());
  const { db, longWork, close } = await openDatabase({ directory, log: createLog() });
  const services: Partial<Services> = { config, db, longWork, now: () => new Date() };
  return { ...services as Services, [Symbol.asyncDispose]: close };
}

async function runHere(call: CommandCall, mayCreate = false): Promise<Outcome> {
  if (!mayCreate) {
    await requireDatabase();
    forbidMigrations();
  }
  const { database, services } = await import("../../main.ts");
  const outcome = await runCommand(services, call, { commands: COMMANDS });
  await database.close();
  return outcome;
}

/** Opening the embedded database would create it. */
async function requireDatabase(): Promise<void> {
  const dataDir = Deno.env.get("DATA_DIR") || DEFAULT_DATA_DIR;
  if (Deno.env.get("DATABASE_URL") || await Deno.stat(`${dataDir}/database`).then(() => true, () => false)) return;
  throw new Error(
    `There is no database in DATA_DIR (${dataDir}), and DATABASE_URL is not set. Run the command with all the settings of ` +
      "the service, as its user. Example: DATA_DIR=/var/lib/foyer deno task foyer users list",
  );
}

/** A service that starts has the database open before it listens. */
async function untilAnswered(ask: () => Promise<Outcome | null>): Promise<Outcome | null> {
  for (let attempt = 0; attempt < START_ATTEMPTS; attempt++) {
    await new Promise((resolve) => setTimeout(resolve, START_STEP_MS));
    const outcome = await ask();
    if (outcome !== null) return outcome;
  }
  return null;
}

function failed(error: unknown): Outcome {
  return { failure: messageOf(error) };
}
