/** `deno task foyer`: runs a command for operators. Exit codes: 0, 1 (failed), 2 (wrong usage). */
import { COMMANDS, GROUPS } from "../command_line/commands.ts";
import { type CommandCall, type Outcome, runCommand } from "../command_line/run.ts";
import { parseCommandLine } from "../command_line/parse.ts";
import { messageOf } from "../log.ts";

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
const outcome = await runHere({ name: line.command.name, input: line.input });
if ("failure" in outcome) {
  console.error(outcome.failure);
  Deno.exit(1);
}
const { text, value } = outcome.report;
print(line.isJson ? JSON.stringify(value) : text);
Deno.exit(0); // native threads would keep the process alive

async function runHere(call: CommandCall): Promise<Outcome> {
  try {
    const { database, services } = await import("../../main.ts");
    const outcome = await runCommand(services, call, COMMANDS);
    await database.close();
    return outcome;
  } catch (error) {
    return { failure: messageOf(error) };
  }
}
