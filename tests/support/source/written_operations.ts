import type { Entry } from "../../../lib/api/entry.ts";
import { DOCUMENTED, ENTRIES } from "../api/entries.ts";

/** Returns lib/client/operations.ts with the list of the operations that programs call. */
export function withOperations(source: string): string {
  const lines = DOCUMENTED.filter((key) => isForPrograms(ENTRIES[key]))
    .map((key) => `  ${ENTRIES[key].operationId}: "${key}",\n`);
  return source.replace(/(?<=OPERATIONS: Record<string, string> = \{)[^;]*(?=\};)/, `\n${lines.join("")}`);
}

/** Without those that only browsers follow, and those of OAuth, for which there are libraries. */
function isForPrograms({ operationId, returns, forApps }: Entry): boolean {
  return !("302" in returns) && forApps === undefined && operationId !== "checkRequest";
}
