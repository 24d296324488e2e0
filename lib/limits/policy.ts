import type { Config } from "../config/config.ts";
import { limitDeclaration, type Policy } from "../config/limits.ts";

/** The policy that limits the requests of a route, or the reason for having none. */
export type Limit = Policy | { none: string };

/** Returns what counts under a policy. */
export function countedUse(
  policy: Policy,
  { loginCounts }: Pick<Config, "loginCounts">,
): "requests" | "failures" | "in domain" {
  if (policy === "login" && loginCounts === "failures") return "failures";
  return limitDeclaration(policy).counts ?? "requests";
}

/** Returns the policy of a limit, if it has one. */
export function policyOf(limit: Limit | undefined): Policy | undefined {
  return typeof limit === "string" ? limit : undefined;
}
