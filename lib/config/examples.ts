import { Environment, SETTINGS, type Variables } from "./environment.ts";
import { PROVIDER_SETTINGS } from "./provider_variables.ts";
import type { Settings } from "./variable_types.ts";

/** Returns a variable with a value that it could have, as in a shell. */
export function exampleOf(name: string): string {
  const value = ofProvider(name) ?? (SETTINGS as Settings)[name]?.example ?? String(defaultOf(name));
  return /[\s<>#]/.test(value) ? `${name}="${value}"` : `${name}=${value}`;
}

function ofProvider(name: string): string | undefined {
  if (name.startsWith("IDP_GITHUB_") && name.endsWith("_SCOPES")) return "read:user user:email";
  return Object.entries(PROVIDER_SETTINGS).find(([end]) => name.startsWith("IDP_") && name.endsWith(`_${end}`))?.[1]
    .example;
}

/** Returns the value of a setting without its variable, if the rule says so. */
export function defaultOf(name: string): unknown {
  return Environment.parse({})[name as keyof Variables];
}
