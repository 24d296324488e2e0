import type { AuditSink } from "../activity/audit_log.ts";
import { ConfigError } from "../config/config.ts";

/**
 * Opens what AUDIT_LOG names: standard output, or a file that only its owner may read. The file is opened for each
 * line, so that it may be moved away at any time.
 *
 * @throws {ConfigError} when the file cannot be written.
 */
export async function openAuditSink(target: string): Promise<AuditSink> {
  if (target === "stdout") return { write: (line) => writeAll(Deno.stdout, line) };
  const write = async (line: string) => {
    using file = await Deno.open(target, { append: true, create: true, mode: 0o600 });
    await writeAll(file, line);
    await file.syncData();
  };
  await write("").catch((error) => {
    throw new ConfigError(`AUDIT_LOG: cannot write ${target}: ${error.message}. Example: AUDIT_LOG=stdout`);
  });
  return { write };
}

async function writeAll(sink: { write(bytes: Uint8Array): Promise<number> }, line: string): Promise<void> {
  let bytes = new TextEncoder().encode(line);
  while (bytes.length > 0) bytes = bytes.subarray(await sink.write(bytes));
}
