import { z } from "zod";
import { AppError } from "../errors/errors.ts";
import { domainName, words } from "./variable_types.ts";

/** The setting, as the configuration has it. */
export interface SignInDomainsSetting {
  /** Each domain appears once. */
  signInDomains: { domain: string; provider: string }[];
}

/** The value of the variable. Domains get the form that they have in stored addresses. */
export const signInDomains = words.transform((pairs, context): SignInDomainsSetting["signInDomains"] => {
  const read = pairs.map(readPair);
  const problem = problemOf(read);
  if (problem === null) return read.map(({ domain, provider }) => ({ domain: domain!, provider }));
  context.addIssue({ code: "custom", message: problem });
  return z.NEVER;
});

function readPair(pair: string) {
  const [, name, provider = ""] = /^([^:]+):([^:]+)$/.exec(pair) ?? [];
  return { pair, domain: domainName.safeParse(name).data, provider };
}

function problemOf(read: ReturnType<typeof readPair>[]): string | null {
  if (read.length === 0) return "must name a domain and its provider";
  const wrong = read.find(({ domain }) => domain === undefined);
  if (wrong !== undefined) {
    return `${wrong.pair} must be a domain and the key of a provider, such as example.com:contoso`;
  }
  const domains = read.map(({ domain }) => domain);
  const doubled = domains.find((domain, index) => domains.indexOf(domain) < index);
  return doubled === undefined ? null : `${doubled} appears twice`;
}

/** Returns the key of the provider through which alone the address logs in, or null. A subdomain is another domain. */
export function requiredProvider({ signInDomains }: SignInDomainsSetting, email: string): string | null {
  const domain = email.slice(email.lastIndexOf("@") + 1);
  return signInDomains.find((each) => each.domain === domain)?.provider ?? null;
}

/**
 * Requires that SIGN_IN_DOMAINS lets the address in here. Call it before looking an account up, so that the refusal
 * says nothing about it.
 *
 * @param door the key of the provider that vouches for the address; undefined for every other way in.
 * @throws {AppError} PROVIDER_REQUIRED.
 */
export function requireOpenDoor(setting: SignInDomainsSetting, email: string, door?: string): void {
  const provider = requiredProvider(setting, email);
  if (provider === null || provider === door) return;
  throw new AppError("PROVIDER_REQUIRED", { provider, cause: "SIGN_IN_DOMAINS names another way for this domain" });
}
