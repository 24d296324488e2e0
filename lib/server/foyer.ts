/** `deno task foyer`: runs a command for operators. Exit codes: 0, 1 (failed), 2 (wrong usage). */
import { type Command, parseCommandLine } from "./command_line.ts";
import { messageOf } from "../log.ts";
import { reportUploads } from "../uploads/upload_report.ts";

const COMMANDS: Command[] = [
  { name: "uploads check", summary: "shows what the sweeps of uploads will do next", run: reportUploads },
];

const print = console.log;
// Standard output is for the result, so the log goes to standard error.
console.log = console.error;

const line = parseCommandLine(Deno.args, COMMANDS);
if ("usage" in line) {
  (line.isWrong ? console.error : print)(line.usage);
  Deno.exit(line.isWrong ? 2 : 0);
}
try {
  const { database, services } = await import("../../main.ts");
  const { text, value } = await line.command.run(services);
  print(line.isJson ? JSON.stringify(value) : text);
  await database.close();
} catch (error) {
  console.error(messageOf(error));
  Deno.exit(1);
}
Deno.exit(0); // native threads would keep the process alive
