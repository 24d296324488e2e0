import { countUse, type RateLimit, rateLimited } from "../../limits/rate_limit.ts";
import type { Services } from "../../services.ts";

/**
 * Counts a request with the tokens of a grant under the policy `token`.
 *
 * @returns the state of the limit; null if it is off.
 * @throws {AppError} RATE_LIMITED.
 */
export async function countGrantUse(services: Services, grantId: string): Promise<RateLimit | null> {
  const limit = await countUse(services, { policy: "token", clients: [`grant:${grantId}`] });
  if (limit?.isExceeded) throw rateLimited(limit);
  return limit;
}
