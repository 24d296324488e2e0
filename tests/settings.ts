/**
 * Writes what follows from declarations: the tables of docs/configuration.md and the permissions in deno.json from the
 * settings, the table of docs/webhooks.md from the kinds of events, that of docs/data.md from the tables, and from
 * the routes the tables of docs/api.md and the operations of the client library.
 */
import { withEvents } from "./support/source/written_events.ts";
import { withOperations } from "./support/source/written_operations.ts";
import { withRoutes } from "./support/source/written_routes.ts";
import { withPermissions, withTables } from "./support/source/written_settings.ts";
import { withTableRules } from "./support/source/written_tables.ts";

await rewrite("../docs/configuration.md", withTables);
await rewrite("../deno.json", withPermissions);
await rewrite("../docs/webhooks.md", withEvents);
await rewrite("../docs/data.md", withTableRules);
await rewrite("../docs/api.md", withRoutes);
await rewrite("../lib/client/operations.ts", withOperations);

async function rewrite(path: string, write: (text: string) => string): Promise<void> {
  const file = new URL(path, import.meta.url);
  await Deno.writeTextFile(file, write(await Deno.readTextFile(file)));
}
