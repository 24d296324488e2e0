import { countUse, type RateLimit, rateLimited } from "../../limits/rate_limit.ts";
import type { Services } from "../../services/services.ts";

/** Counts a request with the tokens of a grant under the policy `token`. Returns its state; null if it is off. */
export async function useGrant(services: Services, grantId: string): Promise<RateLimit | null> {
  return await countUse(services, { policy: "token", clients: [`grant:${grantId}`] });
}

/**
 * Does the same, and refuses a request above the limit.
 *
 * @throws {AppError} RATE_LIMITED.
 */
export async function countGrantUse(services: Services, grantId: string): Promise<RateLimit | null> {
  const limit = await useGrant(services, grantId);
  if (limit?.isExceeded) throw rateLimited(limit);
  return limit;
}
