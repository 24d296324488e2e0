import type { CheckClients } from "../config/client_settings.ts";
import { checkClientsFile } from "./clients_file.ts";

/** Reads CLIENTS_FILE. A file that cannot be read has that problem. */
export async function readClientsFile(path: string): Promise<CheckClients> {
  try {
    const content = await Deno.readTextFile(path);
    return (settings) => checkClientsFile(content, settings);
  } catch (error) {
    const problems = [`${path} ${reasonOf(error)}`];
    return () => ({ registrations: { clients: new Map(), resources: new Map() }, problems });
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "does not exist";
  return error instanceof Deno.errors.NotCapable
    ? "is outside the folders that the service may read: start it with deno task start"
    : "cannot be read";
}
