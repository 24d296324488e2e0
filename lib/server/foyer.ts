/** Runs a command for operators. Exit codes: 0, 1 (failed), 2 (wrong usage). */
import { removeCopy } from "../installation/backup/database_copy.ts";
import type { Command } from "../command_line/command.ts";
import { COMMANDS, GROUPS, PROGRAMS } from "../command_line/commands.ts";
import { type CommandCall, type Outcome, runCommand } from "../command_line/run.ts";
import { parseCommandLine } from "../command_line/parse.ts";
import { createLog, messageOf } from "../log/log.ts";
import type { Services } from "../services/services.ts";
import { COMMAND } from "../config/command_name.ts";
import type { Config } from "../config/config.ts";
import { findConfig, loadConfig, loadSettings } from "../start/load_config.ts";
import { DEFAULT_DATA_DIR } from "./app_arguments.ts";
import { forbidMigrations, waitWhileInUse } from "../../db/database_use.ts";
import { FULL_VERSION } from "../version.ts";
import { openParts } from "./check_parts.ts";
import { openStage } from "./rehearsal/stage.ts";
import { askService, isServiceListening } from "./command_socket.ts";
import { createDatabaseTurn } from "../command_line/database_turn.ts";

// A reader that has seen enough, such as `head`, closes the pipe. `console.log` ignores that.
const print = console.log;
// Standard output is for the result, so the log goes to standard error.
console.log = console.error;

const dataDir = Deno.env.get("DATA_DIR") || DEFAULT_DATA_DIR;
const line = parseCommandLine(Deno.args, {
  commands: COMMANDS,
  groups: GROUPS,
  programs: PROGRAMS,
  folder: Deno.cwd(),
  version: FULL_VERSION,
});
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

/** Runs a command in this process, unless a service has the embedded database open. */
async function run(call: CommandCall, command: Command): Promise<Outcome> {
  try {
    if (command.besideService === "without settings") {
      const { config } = await findConfig(Deno.env.toObject());
      return await runCommand(servicesOf(config), call, { commands: COMMANDS });
    }
    if (command.besideService === "on a stage") return await runOnStage(call);
    if (command.besideService === "without database") {
      const settings = await loadSettings(Deno.env.toObject());
      return await runCommand(servicesOf({ ...settings, appSecret: "" }), call, { commands: COMMANDS });
    }
    if (Deno.env.get("DATABASE_URL")) return await runLocally(call, command);
    return await runBeside(call, command);
  } catch (error) {
    return { failure: messageOf(error) };
  }
}

/** Only one process can have the embedded database open: the service, which then runs the command, or a command. */
async function runBeside(call: CommandCall, command: Command): Promise<Outcome> {
  const ask = () => askAs(command, call);
  const answer = await ask();
  if (answer !== null) return command.opensParts ? saidBy("the running service", answer) : answer;
  const turn = createDatabaseTurn({ ask, say: console.error });
  waitWhileInUse(turn.wait);
  try {
    const outcome = await runLocally(call, command);
    return turn.outcome() ?? outcome;
  } catch (error) {
    const outcome = turn.outcome();
    if (outcome === undefined) throw error;
    return outcome;
  }
}

/** Lets the service run the command, or give this process a copy to run it on. Returns null if no service listens. */
async function askAs(command: Command, call: CommandCall): Promise<Outcome | null> {
  if (command.besideService === "on a copy") return await runOnCopy(call);
  if (command.besideService === undefined) return await askService(dataDir, call);
  if (!await isServiceListening(dataDir)) return null;
  if (command.besideService === "in parts") return { report: await command.runInParts!(call.input, askForPart) };
  return { failure: "Stop the service first: it has the embedded database open" };
}

/** Lets the service run a part of a command, which does what the service may not do, such as reading a file. */
async function askForPart({ name }: Command, input: Record<string, unknown>): Promise<unknown> {
  const outcome = await askService(dataDir, { name, input }) ?? { failure: "The service has stopped" };
  if ("failure" in outcome) throw new Error(outcome.failure);
  return outcome.report.value;
}

/**
 * Runs a command that only reads on a copy of the database, which the service makes. Returns null if no service
 * listens.
 */
async function runOnCopy(call: CommandCall): Promise<Outcome | null> {
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

/** Runs a command with a database that is thrown away afterward. */
async function runOnStage(call: CommandCall): Promise<Outcome> {
  await using services = await openStage(Deno.env.toObject());
  return await runCommand(services, call, { commands: COMMANDS });
}

/** The services of a command that only reads. They have nothing else. */
async function openCopy(directory: string): Promise<Services & AsyncDisposable> {
  const { openDatabase } = await import("../../db/connection.ts");
  const { db, longWork, close } = await openDatabase({ directory, log: createLog() });
  const config = await loadConfig(Deno.env.toObject());
  return { ...servicesOf(config), db, longWork, [Symbol.asyncDispose]: close };
}

/** The services of a command that needs no database. */
function servicesOf(config: Config): Services {
  const services: Partial<Services> = { config, now: () => new Date() };
  return services as Services;
}

/** Runs a command in this process. */
async function runLocally(call: CommandCall, command: Command): Promise<Outcome> {
  if (!command.opensParts) return await runHere(call, command);
  await using services = await openParts(Deno.env.toObject(), { requireDatabase });
  return saidBy("this command", await runCommand(services, call, { commands: COMMANDS }));
}

/** Adds whose settings a report is about: those of a running service may differ from those of the command. */
function saidBy(owner: "the running service" | "this command", outcome: Outcome): Outcome {
  if ("failure" in outcome) return outcome;
  const { text, value, ...report } = outcome.report;
  return {
    report: {
      ...report,
      text: `With the settings of ${owner}:\n${text}`,
      value: { settingsOf: owner, ...value as object },
    },
  };
}

async function runHere(call: CommandCall, { createsDatabase }: Command): Promise<Outcome> {
  if (!createsDatabase) {
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
  if (Deno.env.get("DATABASE_URL") || await Deno.stat(`${dataDir}/database`).then(() => true, () => false)) return;
  throw new Error(
    `There is no database in DATA_DIR (${dataDir}), and DATABASE_URL is not set. Run the command with all the settings of ` +
      `the service, as its user. Example: DATA_DIR=/var/lib/foyer ${COMMAND} users list`,
  );
}
