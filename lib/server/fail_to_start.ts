import { ConfigError } from "../config/config.ts";
import { createLog, errorFields, messageOf } from "../log/log.ts";
import { endIsolate } from "../start/isolates.ts";

/**
 * Reports why the process cannot start, and ends this isolate. A configuration error is printed only: no stack helps
 * there.
 */
export async function failToStart(error: unknown): Promise<never> {
  if (!(error instanceof ConfigError)) createLog()("error", "could not start", errorFields(error));
  console.error(messageOf(error));
  return await endIsolate("failed");
}
