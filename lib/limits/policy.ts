import type { Config } from "../config/config.ts";

/** The name of a limit, which the variable LIMIT_<NAME> sets. */
export type Policy = keyof Config["limits"];

/**
 * What each policy counts requests by. Addresses come before users: rows that are always locked in one order cannot
 * deadlock.
 */
export const COUNTED_BY: Record<Policy, readonly ("address" | "user")[]> = {
  login: ["address"],
  register: ["address"],
  attempt: ["address"],
  mail: ["address", "user"],
  presign: ["user"],
  image: ["user"],
  proof: ["user"],
  export: ["user"],
  // Counted where the token is looked up.
  token: [],
};

/** Policies that the domain counts, because it knows what counts: a wrong proof does, a right one does not. */
const COUNTED_IN_DOMAIN: readonly Policy[] = ["proof"];

/** Whether every request under the policy counts. Otherwise the domain counts, and responses only report the limit. */
export function countsEveryRequest(policy: Policy): boolean {
  return !COUNTED_IN_DOMAIN.includes(policy);
}
