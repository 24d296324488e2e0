import { limitDeclaration, POLICIES, type Policy } from "../../../lib/config/limits.ts";
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "../../../lib/duration.ts";
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

/** By what each limit counts, and its default, by its name as docs/api.md writes it. */
const LIMITS = Object.fromEntries(POLICIES.map((policy) => [`\`${policy}\``, limitOf(policy)]));

/**
 * Returns docs/api.md with the caller of each route, and the routes of each scope. A limit that has routes gets its
 * whole row; one that the domain counts by something else keeps the words for it.
 */
export function withRoutes(document: string): string {
  return document.replace(/(?:^\|.*\|\n)+/gm, (table) => {
    const [header, , ...rows] = table.trimEnd().split("\n").map((line) =>
      line.split("|").slice(1, -1).map((cell) => cell.trim())
    );
    const column = COLUMNS[header[0]];
    if (column === undefined) return table;
    const written = rows.map(([first, second, ...rest]) => [first, column[first] ?? second, ...rest]);
    return tableOf([header, ...header[0] === "Policy" ? withLimits(written, column) : written]);
  });
}

function withLimits(rows: string[][], routesOf: Record<string, string>): string[][] {
  const known = rows.filter(([name]) => name in LIMITS);
  const names = known.map(([name]) => name);
  const added = Object.keys(routesOf).filter((name) => !names.includes(name)).map((name) => [name, routesOf[name], ""]);
  return [...known, ...added].map(([name, routes, counted]) => {
    const { countedPer, byDefault } = LIMITS[name];
    return [name, routes, countedPer || counted, byDefault];
  });
}

function limitOf(policy: Policy): { countedPer: string; byDefault: string } {
  const { quota, windowSeconds, countedBy } = limitDeclaration(policy);
  const words = { address: "client address", user: "user", sender: "user, or the client address of a guest" };
  const units = { [MINUTE_SECONDS]: "minute", [HOUR_SECONDS]: "hour", [DAY_SECONDS]: "day" };
  return {
    countedPer: countedBy.map((by) => words[by]).join(", and "),
    byDefault: `${quota} / ${units[windowSeconds] ?? `${windowSeconds / MINUTE_SECONDS} minutes`}`,
  };
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
