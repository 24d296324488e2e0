import { AppError } from "../errors/errors.ts";

import { detailsInEnglish, errorInEnglish } from "../http/error_english.ts";
import { messageOf } from "../log/log.ts";
import type { Services } from "../services/services.ts";
import type { Command, Report } from "./command.ts";

/** A command to run, and its input. It can be sent to another process. */
export interface CommandCall {
  name: string;
  input: Record<string, unknown>;
}

/** The result of a command: what it reports, or why it failed. */
export type Outcome = { report: Report } | { failure: string };

/** Runs a command. Whatever goes wrong becomes a sentence, without a stack. */
export async function runCommand(
  services: Services,
  { name, input }: CommandCall,
  { commands, onUnexpected }: { commands: Command[]; onUnexpected?(error: unknown): void },
): Promise<Outcome> {
  const command = commands.find((each) => each.name === name);
  if (command === undefined) return { failure: `The running service does not know the command ${name}. Restart it` };
  try {
    return { report: await command.run(services, input) };
  } catch (error) {
    if (error instanceof AppError) return { failure: textOf(error) };
    onUnexpected?.(error);
    return { failure: messageOf(error) };
  }
}

/** Says in English what went wrong, and with which argument or option. */
export function textOf(error: AppError): string {
  if (!error.is("VALIDATION_FAILED")) return errorInEnglish(error);
  const problems = Object.entries(detailsInEnglish(error)).map(([field, texts]) => `${field}: ${texts.join(", ")}`);
  return [errorInEnglish(error), ...problems].join("\n  ");
}
