import { z } from "zod";

/** A setting: an environment variable, and what operators read about it. */
export interface Setting {
  /** What its value must be, and its default. */
  rule: z.ZodType;
  /** A value for the documentation, if the default is none or says too little. */
  example?: string;
  /** What holds without it, in words, if the rule does not say so. */
  unset?: string;
  /** Whether production requires it. */
  isRequired?: true;
  /** One sentence or a few, for docs/configuration.md. */
  says: string;
}

/** Settings by the names of their variables. */
export type Settings = Record<string, Setting>;

/** Returns the rules of settings by name. */
export function rulesOf<Declared extends Settings>(settings: Declared) {
  const rules = Object.entries(settings).map(([name, { rule }]) => [name, rule]);
  return Object.fromEntries(rules) as { [Name in keyof Declared]: Declared[Name]["rule"] };
}

/** An http or https URL. */
export const webUrl = z.url({ protocol: /^https?$/, error: "must be an http or https URL" });

/** `true` or `false`. */
export const flag = z.enum(["true", "false"], "must be true or false").transform((value) => value === "true");

/** Texts, separated by spaces. */
export const words = z.string().transform((value) => value.split(/\s+/).filter(Boolean));

/** Host names and IP addresses as URLs have them, separated by spaces. */
export const hosts = words.transform((entries, context) =>
  entries.map((entry) => {
    const url = URL.parse(`http://${entry}`);
    if (url?.href === `http://${url?.hostname}/` && !/[/?#,]/.test(entry)) return url.hostname;
    context.addIssue({
      code: "custom",
      message: `${shownEntry(entry)}: must be a host name or an IP address, without scheme and port`,
    });
    return z.NEVER;
  })
);

/** `off`, `on`, or only some hosts: null, "all" or their names. */
export const someHosts = z.string().transform((value, context) => {
  if (value === "off") return null;
  if (value === "on") return "all";
  const { data, error } = hosts.safeParse(value);
  for (const { message } of error?.issues ?? []) context.addIssue({ code: "custom", message });
  return data ?? z.NEVER;
});

/** How many requests a policy allows in a window; null for no limit. */
export const limit = z.string()
  .regex(/^([0-9]+\/[0-9]+|off)$/, { error: "must be count/seconds or off", abort: true })
  .regex(/^([1-9][0-9]{0,6}\/[1-9][0-9]{0,6}|off)$/, "count and seconds must be 1 to 9999999, or off")
  .transform((value) => {
    if (value === "off") return null;
    const [quota, windowSeconds] = value.split("/").map(Number);
    return { quota, windowSeconds };
  });

const NOT_AN_ORIGIN = "must be an origin: scheme and host, without a path";

/** An origin. */
export const origin = z.string().transform((value, context) => {
  const origin = originOf(value);
  if (origin !== null) return origin;
  context.addIssue({ code: "custom", message: NOT_AN_ORIGIN });
  return z.NEVER;
});

/** Origins, separated by spaces. A message names the entry that is wrong, unless it may contain a password. */
export function origins({ allowsWildcards = false } = {}) {
  return words.transform((entries, context) =>
    entries.map((entry) => {
      const problem = entryProblem(entry, allowsWildcards);
      if (problem !== null) context.addIssue({ code: "custom", message: problem });
      return originOf(entry) ?? z.NEVER;
    })
  );
}

function entryProblem(entry: string, allowsWildcards: boolean): string | null {
  const shown = shownEntry(entry);
  if (entry === "*") return "`*` is not possible: name each origin";
  if (entry.includes(",")) return `${shown}: separate origins with spaces`;
  if (originOf(entry) === null) return `${shown} ${NOT_AN_ORIGIN}`;
  return entry.includes("*") && !allowsWildcards ? `${shown}: name each origin, without wildcards` : null;
}

/** An entry as messages show it: without a password. */
function shownEntry(entry: string): string {
  return entry.includes("@") ? "an entry" : entry;
}

/** Labels of letters, digits and hyphens, at least two, in any script. */
const DOMAIN_NAME = /^[\p{L}\p{M}\p{N}-]+(\.[\p{L}\p{M}\p{N}-]+)+$/u;
/** A domain that an address can have. The last label is not a number. */
const ADDRESS_DOMAIN = /^[a-z0-9-]+(\.[a-z0-9-]+)*\.(?!\d+$)[a-z0-9-]+$/;

/** A domain name as it is in stored addresses: ASCII in lower case. */
export const domainName = z.string().transform((value, context) => {
  const domain = DOMAIN_NAME.test(value) ? URL.parse(`http://${value}`)?.hostname ?? "" : "";
  if (ADDRESS_DOMAIN.test(domain)) return domain;
  context.addIssue({ code: "custom", message: "must be domain names, such as example.com, separated by spaces" });
  return z.NEVER;
});

/** Returns the origin that a URL consists of, or null if it is not one or has a path. */
export function originOf(value: string): string | null {
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/` ? url.origin : null;
}

/** A whole number in a range. */
export function whole(min: number, max: number) {
  const rule = `must be a whole number from ${min} to ${max}`;
  return z.string().regex(/^[0-9]+$/, rule).transform(Number).pipe(z.number().min(min, rule).max(max, rule));
}
