import { VARIABLES } from "./environment.ts";
import { exampleOf } from "./examples.ts";
import { DEFAULT_PROVIDER, prefixOf, PRESETS } from "./provider_settings.ts";
import { hasDefaultProvider, PROVIDER_VARIABLES, providerKeys } from "./provider_variables.ts";

/** In shorter names, two other letters could be a different word. */
const MIN_LENGTH = 6;
/** How many letters of a misspelled name differ, at most. */
const MAX_DISTANCE = 2;
const OF_PROVIDER = new RegExp(`^IDP_(.+)_(?:${PROVIDER_VARIABLES.join("|")})$`);

/**
 * Returns a warning for each variable that probably has no effect: those that are nearly a setting, and those of an
 * identity provider that is not configured.
 *
 * @param env without variables that the service may not read. The launcher has put their names into VARIABLE_NAMES.
 */
export function unusedVariables(env: Record<string, string | undefined>): string[] {
  const names = env.VARIABLE_NAMES?.split(" ") ?? Object.keys(env);
  const keys = providerKeys(env);
  const settings = [...VARIABLES, ...keys.flatMap(variablesOf)];
  const ofPresets = Object.keys(PRESETS).flatMap(variablesOf);
  return [
    ...names.filter((name) => name.length >= MIN_LENGTH && !settings.includes(name) && !OF_POSTGRES.test(name))
      .flatMap((name) => misspelled(name, settings) ?? ofUnknownKey(name, keys) ?? misspelled(name, ofPresets) ?? []),
    ...ofNoProvider(env),
  ];
}

/** Tools and the driver of PostgreSQL read them. PGHOST is near HOST, and PGPORT near PORT. */
const OF_POSTGRES = /^PG[A-Z]+$/;

function variablesOf(key: string): string[] {
  return PROVIDER_VARIABLES.map((name) => prefixOf(key) + name);
}

function misspelled(name: string, settings: string[]): string[] | null {
  const meant = nearest(name.replace(/^IDP_DEFAULT_/, prefixOf(DEFAULT_PROVIDER)), settings);
  if (meant === undefined) return null;
  return [`${name} is not a setting: did you mean ${meant}? Example: ${exampleOf(meant)}`];
}

function ofUnknownKey(name: string, keys: string[]): string[] | null {
  const key = OF_PROVIDER.exec(name)?.[1].toLowerCase();
  if (key === undefined) return null;
  const example = `IDP_PROVIDERS="${[...keys, key].join(" ")}"`;
  return [`${name} has no effect: ${key} is not in IDP_PROVIDERS. Example: ${example}`];
}

/** Without an address, the default provider does not exist. */
function ofNoProvider(env: Record<string, string | undefined>): string[] {
  if (!env.IDP_CLIENT_ID || hasDefaultProvider(env)) return [];
  return [`IDP_CLIENT_ID has no effect without the provider's address. Example: ${exampleOf("IDP_ISSUER")}`];
}

/** Returns the setting with the fewest differences, unless it has too many. */
function nearest(name: string, settings: string[]): string | undefined {
  const letters = lettersIn(name);
  const near = settings.filter((setting) => Math.abs(setting.length - name.length) <= MAX_DISTANCE)
    .filter((setting) => differences(letters, lettersIn(setting)) <= 2 * MAX_DISTANCE)
    .map((setting) => ({ setting, distance: editDistance(name, setting) }))
    .filter(({ distance }) => distance <= MAX_DISTANCE);
  return near.sort((a, b) => a.distance - b.distance)[0]?.setting;
}

/** Returns a set of letters, as bits. Comparing sets takes far less time than comparing names. */
function lettersIn(name: string): number {
  let bits = 0;
  for (let i = 0; i < name.length; i++) bits |= 1 << (name.charCodeAt(i) & 31);
  return bits;
}

/** Returns how many bits differ. A replaced letter changes at most two. */
function differences(a: number, b: number): number {
  let count = 0;
  for (let rest = a ^ b; rest !== 0; rest &= rest - 1) count++;
  return count;
}

/**
 * Returns how many letters must be inserted, deleted or replaced to get from one text to the other (Levenshtein), or
 * any larger number than the maximum if it is larger.
 */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j++) {
      next.push(Math.min(next[j] + 1, row[j + 1] + 1, row[j] + (letter === to[j] ? 0 : 1)));
    }
    if (Math.min(...next) > MAX_DISTANCE) return Infinity;
    row = next;
  }
  return row[to.length];
}
