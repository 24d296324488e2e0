import { Argument, Command as Program, CommanderError, Option } from "commander";
import { COMMAND, QUIET_COMMAND } from "../config/command_name.ts";
import { AppError } from "../errors/errors.ts";
import type { ChosenArgument, Command, ListArgument } from "./command.ts";
import { completionScript, SHELLS } from "./completion.ts";
import { textOf } from "./run.ts";

/** A command line: a command to run, or a text to print instead. */
export type CommandLine =
  | { command: Command; input: Record<string, unknown>; isJson: boolean }
  | { text: string; isWrong: boolean };

/** The commands, and what their groups are about. */
export interface CommandSet {
  commands: Command[];
  groups: Record<string, string>;
  /** What the launcher runs: programs that have neither arguments nor options. */
  programs?: Record<string, string>;
  /** The folder in which commands run, for the completion of shells. */
  folder: string;
  /** What `--version` prints. */
  version?: string;
}

const INTRODUCTION =
  `Starts the service, and has commands for its operators. These work beside a running service, and also without one.

WHO is an email address or the id of an account.`;
const EPILOGUE = `
Examples:
  ${COMMAND} users show ann@example.org
  ${COMMAND} events --user ann@example.org --json

Exit codes: 0, 1 (failed), 2 (wrong usage). docs/operations.md has a chapter for each situation.`;

/** Parses the arguments of the command line. Anything unknown is wrong usage. */
export function parseCommandLine(args: string[], set: CommandSet): CommandLine {
  let text = "";
  const write = (more: string) => void (text += more);
  let line: CommandLine | undefined;
  const program = createProgram(write, set, (found) => line = found);
  try {
    program.parse(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { text: text.trimEnd(), isWrong: error.exitCode !== 0 };
  }
  return line ?? { text: text.trimEnd(), isWrong: true };
}

function createProgram(
  write: (text: string) => void,
  { commands, groups, programs = {}, folder, version }: CommandSet,
  found: (line: CommandLine) => void,
): Program {
  const program = new Program(COMMAND)
    .description(INTRODUCTION).addHelpText("after", EPILOGUE)
    .option("--json", "print the result for programs")
    .helpOption("--help", "show this help")
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: write, writeErr: write, getOutHelpWidth: () => 100, getErrHelpWidth: () => 100 })
    .showHelpAfterError("(--help shows what there is)")
    .exitOverride();
  if (version !== undefined) program.version(version, "--version", "show the version and the commit");
  for (const [name, summary] of Object.entries(programs)) {
    program.command(name).description(summary)
      .action((_options, self: Program) => self.error(`error: ${name} takes no options`));
  }
  const parents = new Map<string, Program>();
  for (const [name, summary] of Object.entries(groups)) {
    parents.set(name, program.command(name).description(summary).helpCommand(false));
  }
  for (const command of commands) addCommand(parents, program, command, found);
  program.command("completion").description("Print a script that completes commands in a shell")
    .addHelpText(
      "after",
      `\nFor bash, in ~/.bashrc:\n  source <(cd ${folder} && ${QUIET_COMMAND} completion bash)`,
    )
    .argument("<shell>", SHELLS.join(" or "))
    .action((shell, _options, self: Program) => {
      if (!SHELLS.includes(shell)) self.error(`error: the shell must be ${SHELLS.join(" or ")}`);
      found({ text: completionScript(shell, { commands, programs: Object.keys(programs), folder }), isWrong: false });
    });
  return program;
}

function addCommand(
  parents: Map<string, Program>,
  program: Program,
  command: Command,
  found: (line: CommandLine) => void,
): void {
  const words = command.name.split(" ");
  const parent = words.length === 1 ? program : parents.get(words[0])!;
  const self = parent.command(words.at(-1)!).summary(command.summary)
    .description([command.summary + ".", ...command.details === undefined ? [] : [command.details]].join("\n\n"));
  const names = Object.keys(command.arguments ?? {});
  for (const name of names) self.addArgument(argumentOf(name, command.arguments![name]));
  for (const { flags, description, choices, isRequired } of command.options ?? []) {
    const option = new Option(flags, isRequired ? `${description} (required)` : description)
      .makeOptionMandatory(isRequired ?? false);
    self.addOption(choices === undefined ? option : option.choices(choices));
  }
  self.action((...given: unknown[]) => {
    const { json: isJson = false, ...options } = self.optsWithGlobals();
    const input = { ...options, ...Object.fromEntries(names.map((name, index) => [name, given[index]])) };
    try {
      command.check(input);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      self.error(`error: ${textOf(error)}`);
    }
    found({ command, input, isJson });
  });
}

function argumentOf(name: string, given: string | ChosenArgument | ListArgument): Argument {
  if (typeof given === "string") return new Argument(`<${name}>`, given);
  if ("isList" in given) return new Argument(`<${name}...>`, given.description);
  return new Argument(`<${name}>`, given.description).choices(given.choices);
}
