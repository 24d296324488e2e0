import { POLICIES, type Policy, variableOf } from "../../../lib/config/limits.ts";

const KEPT: Policy[] = ["login", "mail_address"];

/**
 * Turns rate limits off, for tests that send many requests from one address or user. Logins and emails to one address
 * stay limited. Users whose addresses are not confirmed may store as much as others.
 */
export const NO_LIMITS = {
  ...Object.fromEntries(
    POLICIES.filter((policy) => !KEPT.includes(policy)).map((policy) => [variableOf(policy), "off"]),
  ),
  UNVERIFIED_QUOTA_BYTES: String(1024 ** 3),
};
