import type { z } from "zod";
import { validate } from "../http/parse.ts";
import type { Services } from "../services/services.ts";

/** What a command reports: text for people, and the same as a value for programs. */
export interface Report {
  text: string;
  value: unknown;
  /** Whether the process ends with 1, although there is something to report. */
  hasFailed?: boolean;
}

/** An option of a command, as its help shows it. */
export interface CommandOption {
  /** Such as `--yes` or `--reason <text>`. */
  flags: string;
  description: string;
  /** The only values that it may have. */
  choices?: readonly string[];
  /** Values that shells propose. It may have others. */
  proposals?: readonly string[];
  isRequired?: true;
}

/** An argument that has only these values. */
export interface ChosenArgument {
  description: string;
  choices: readonly string[];
}

/** The last argument, if it may have several values. */
export interface ListArgument {
  description: string;
  isList: true;
}

/** The parts of a command that its help shows. */
interface CommandUsage {
  /** One or two words, such as `users show`. */
  name: string;
  /** What it does, in one line. */
  summary: string;
  /** What else to know before running it. */
  details?: string;
  /** The arguments and what they are, in their order. All are required. */
  arguments?: Record<string, string | ChosenArgument | ListArgument>;
  options?: CommandOption[];
  /**
   * How it runs while a service has the embedded database open. By default, that service runs it. “without database”
   * runs it in the process of the command, which then has nothing but the settings, and “without settings” with those
   * that are valid. “in parts” too, and the service runs parts of it, which are commands. “on a stage” has a database
   * of its own, which is empty at first and then thrown away.
   */
  besideService?: "on a copy" | "on a stage" | "refused" | "without database" | "without settings" | "in parts";
  /** Whether it looks at each part of the services by itself, so that it runs even if one cannot be opened. */
  opensParts?: true;
  /** Whether it may create the database. All others would report success about an empty one. */
  createsDatabase?: true;
}

/** A command for operators. */
export interface Command extends CommandUsage {
  /**
   * Checks the arguments and options, which are texts and flags by their names.
   *
   * @throws {AppError} VALIDATION_FAILED.
   */
  check(input: unknown): void;
  /** Runs it. Checks the input again, because it may come from another process. */
  run(services: Services, input: unknown): Promise<Report>;
  /** Runs it without services: `runPart` has them. Only commands “in parts” have this method. */
  runInParts?(input: unknown, runPart: RunPart): Promise<Report>;
}

/** Runs a part of a command, and returns the value that it reports. */
export type RunPart = (part: Command, input: Record<string, unknown>) => Promise<unknown>;

/** Declares a command. `run` gets its input as the schema transforms it. */
export function command<Input>(
  { input: schema, run, ...usage }: CommandUsage & {
    input: z.ZodType<Input>;
    run(services: Services, input: Input): Promise<Report>;
  },
): Command {
  return {
    ...usage,
    check: (input) => void validate(schema, input),
    run: async (services, input) => await run(services, validate(schema, input)),
  };
}

/** Declares a command that leaves everything that needs services to its parts. */
export function commandInParts<Input>(
  { input: schema, runInParts, ...usage }: Omit<CommandUsage, "besideService"> & {
    input: z.ZodType<Input>;
    runInParts(input: Input, runPart: RunPart): Promise<Report>;
  },
): Command {
  const run = async (input: unknown, runPart: RunPart) => await runInParts(validate(schema, input), runPart);
  return {
    ...usage,
    besideService: "in parts",
    check: (input) => void validate(schema, input),
    run: (services, input) => run(input, async (part, input) => (await part.run(services, input)).value),
    runInParts: run,
  };
}
