import type { Config } from "../config/config.ts";

/** The name of a limit, which the variable LIMIT_<NAME> sets. */
export type Policy = keyof Config["limits"];

/** The policy that limits the requests of a route, or the reason for having none. */
export type Limit = Policy | { none: string };

/** What a policy counts by. A sender is the user, or the address of a guest. */
type CountedBy = "address" | "user" | "sender";

/**
 * What each policy counts requests by. Addresses come before their networks, and these before users, as in the alphabet:
 * rows that are always locked in one order cannot deadlock.
 */
export const COUNTED_BY: Record<Policy, readonly CountedBy[]> = {
  login: ["address"],
  register: ["address"],
  attempt: ["address"],
  mail: ["address", "user"],
  presign: ["user"],
  link: ["user"],
  image: ["user"],
  profile: ["user"],
  security: ["user"],
  write: ["sender"],
  guess: ["address"],
  proof: ["user"],
  export: ["user"],
  // The login counts it for the address that someone enters.
  account: [],
  // Counted where the token is looked up.
  token: [],
  // Counted for the person and the app.
  authorize: [],
  client: ["address"],
};

/**
 * What counts under a policy: every request; those that fail, such as wrong tokens; or what the domain counts, because
 * it knows what counts. Then responses only report the limit.
 */
export function countedUse(
  policy: Policy,
  { loginCounts }: Pick<Config, "loginCounts">,
): "requests" | "failures" | "in domain" {
  if (policy === "guess" || (policy === "login" && loginCounts === "failures")) return "failures";
  return IN_DOMAIN.includes(policy) ? "in domain" : "requests";
}

const IN_DOMAIN: Policy[] = ["proof", "account", "authorize", "client"];

/** Returns the policy of a limit, if it has one. */
export function policyOf(limit: Limit | undefined): Policy | undefined {
  return typeof limit === "string" ? limit : undefined;
}
