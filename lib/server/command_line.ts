import type { Services } from "../services.ts";

/** What a command reports: text for people, and the same as a value for programs. */
export interface Report {
  text: string;
  value: unknown;
}

/** A command for operators, such as `uploads check`. */
export interface Command {
  name: string;
  /** What it does, in one line. */
  summary: string;
  run(services: Services): Promise<Report>;
}

/** A command line: a command to run, or a text to print instead. */
export type CommandLine =
  | { command: Command; isJson: boolean }
  | { usage: string; isWrong: boolean };

/** Parses the arguments of the command line. Anything unknown is wrong usage. */
export function parseCommandLine(args: string[], commands: Command[]): CommandLine {
  const usage = usageOf(commands);
  if (args.includes("--help")) return { usage, isWrong: false };
  const words = args.filter((arg) => arg !== "--json");
  const command = commands.find(({ name }) => name === words.join(" "));
  if (command !== undefined) return { command, isJson: words.length < args.length };
  const problem = words.length === 0 ? "Name a command." : `Unknown command: ${words.join(" ")}`;
  return { usage: `${problem}\n\n${usage}`, isWrong: true };
}

function usageOf(commands: Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    "Usage: deno task foyer COMMAND [--json]",
    "",
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    "",
    "--json prints the result for programs. Exit codes: 0, 1 (failed), 2 (wrong usage).",
  ].join("\n");
}
