import { type Entry, isForAdmins, tokenAccessOf } from "../../../lib/api/entry.ts";
import { policyOf } from "../../../lib/limits/policy.ts";
import { SCOPES } from "../../../lib/schemas/scopes.ts";
import { ENTRIES } from "../api/entries.ts";
import { tableOf } from "./written_settings.ts";

const ROUTES = Object.entries(ENTRIES).map(([key, entry]) => ({ route: routeOf(key), entry }));

/** The second column of each of these tables of docs/api.md, by the first one. Other rows stay as they are. */
const COLUMNS: Record<string, Record<string, string>> = {
  "Method and path": Object.fromEntries(ROUTES.map(({ route, entry }) => [`\`${route}\``, callerOf(entry)])),
  "Scope": routesBy(({ entry }) => isForAdmins(entry) ? undefined : scopeOf(entry)),
  "Policy": routesBy(({ entry }) => policyOf(entry.limit)),
};

/** Returns docs/api.md with the caller of each route, and the routes of each scope and of each limit. */
export function withRoutes(document: string): string {
  return document.replace(/(?:^\|.*\|\n)+/gm, (table) => {
    const [header, , ...rows] = table.trimEnd().split("\n").map((line) =>
      line.split("|").slice(1, -1).map((cell) => cell.trim())
    );
    const column = COLUMNS[header[0]];
    if (column === undefined) return table;
    return tableOf([header, ...rows.map(([first, second, ...rest]) => [first, column[first] ?? second, ...rest])]);
  });
}

function routesBy(groupOf: (route: typeof ROUTES[number]) => string | undefined): Record<string, string> {
  const groups = Map.groupBy(ROUTES, groupOf);
  return Object.fromEntries(
    [...groups].filter(([name]) => name !== undefined).map((
      [name, routes],
    ) => [`\`${name}\``, routes.map(({ route }) => `\`${route}\``).join(", ")]),
  );
}

/** The caller of an endpoint in the words of docs/api.md. */
function callerOf(entry: Entry): string {
  const scope = scopeOf(entry);
  return [
    isForAdmins(entry) ? "admin" : entry.caller === "public" ? "anyone" : "session",
    ...(entry.needsVerifiedEmail ? ["confirmed"] : []),
    ...(scope === undefined ? [] : [`\`${scope}\``]),
    ...(entry.serviceScope === undefined ? [] : [`\`${entry.serviceScope}\``]),
  ].join(", ");
}

function scopeOf(entry: Entry): string | undefined {
  return SCOPES.find((scope) => scope === tokenAccessOf(entry));
}

/** An endpoint as docs/api.md writes it. */
function routeOf(key: string): string {
  const files: Record<string, string> = {
    "GET /files/{key*}": "GET /files/...",
    "PUT /files/{key*}": "PUT <presignedUrl>",
  };
  return files[key] ?? key.replaceAll(/\{(\w+)\}/g, ":$1");
}

/** What docs/api.md must have a row for: every route, scope and limit that routes have. */
export const ROWS = Object.values(COLUMNS).flatMap((column) => Object.keys(column));
