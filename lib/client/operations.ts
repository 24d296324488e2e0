import { SECTIONS } from "../api/all_entries.ts";
import type { Entry } from "../api/entry.ts";

/** What API tokens may be allowed to do. */
export { SCOPES } from "../schemas/scopes.ts";

/**
 * What an operation takes and returns, by its name. In the package, these are the exact types of the API document.
 */
// deno-lint-ignore no-explicit-any
export type Operations = Record<string, { input: Record<string, any>; output: any }>;

/** What a webhook gets. In the package, `data.details` has the exact type of its `type`. */
export interface WebhookEvent {
  id: string;
  type: string;
  timestamp: string;
  // deno-lint-ignore no-explicit-any
  data: { userId: string | null; actorId: string | null; details: Record<string, any> };
}

/** Method and path of each operation, such as `GET /api/users/{id}`, by its name. */
export const OPERATIONS: Record<string, string> = Object.fromEntries(
  SECTIONS.flatMap(({ entries }) =>
    Object.entries<Entry>(entries).filter(([, entry]) => isForPrograms(entry))
      .map(([key, { operationId }]) => [operationId, key])
  ),
);

/** Without those that only browsers follow, and those of OAuth, for which there are libraries. */
function isForPrograms({ operationId, returns, forApps }: Entry): boolean {
  return !("302" in returns) && forApps === undefined && operationId !== "checkRequest";
}
