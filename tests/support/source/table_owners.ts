import { sources } from "./sources.ts";

const ROOT = new URL("../../../", import.meta.url);

/**
 * The rooms, each with the tables that its tables.ts declares. No other room may write them; one that needs another
 * room's rows asks that room's functions. Everyone may read. Triggers of `users` also write `identities`,
 * `search_terms` and `webhook_deliveries`, and those of `events` the latter.
 */
export const TABLE_OWNERS: Record<string, string[]> = {};

for await (const [path] of sources(new URL("lib/", ROOT))) {
  if (!path.endsWith("/tables.ts")) continue;
  const room = path.slice(decodeURIComponent(ROOT.pathname).length, -"/tables.ts".length);
  const declared: Record<string, object> = await import(new URL(`${room}/tables.ts`, ROOT).href);
  TABLE_OWNERS[room] = Object.values(declared).flatMap(Object.keys).sort();
}
