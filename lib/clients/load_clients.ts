import type { CheckClients } from "../config/client_settings.ts";
import { COMMAND } from "../config/command_name.ts";
import { checkClientsFile } from "./clients_file.ts";

const MEBIBYTE = 1024 * 1024;
/** Room for a thousand apps. */
const MAX_BYTES = MEBIBYTE;

/** Reads CLIENTS_FILE. A file that cannot be read, or is too large, has that problem. */
export async function readClientsFile(path: string): Promise<CheckClients> {
  const withProblem = (problem: string): CheckClients => () => ({
    registrations: { clients: new Map(), resources: new Map() },
    problems: [`${path} ${problem}`],
  });
  try {
    if ((await Deno.stat(path)).size > MAX_BYTES) return withProblem(`must have at most ${MAX_BYTES / MEBIBYTE} MiB`);
    // Editors on Windows begin a file with a mark.
    const content = (await Deno.readTextFile(path)).replace(/^\uFEFF/, "");
    return (settings) => checkClientsFile(content, settings);
  } catch (error) {
    return withProblem(reasonOf(error));
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "does not exist";
  return error instanceof Deno.errors.NotCapable
    ? `is outside the folders that the service may read: start it with ${COMMAND} start`
    : "cannot be read";
}
