import { serviceName } from "../../config/registered_client.ts";
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
  return within(await useGrant(services, grantId));
}

/** Counts a request of an app that acts as itself under the policy `token`: its tokens count together. */
export async function useService(services: Services, clientId: string): Promise<RateLimit | null> {
  return await countUse(services, { policy: "token", clients: [serviceName(clientId)] });
}

/**
 * Does the same, and refuses a request above the limit.
 *
 * @throws {AppError} RATE_LIMITED.
 */
export async function countServiceUse(services: Services, clientId: string): Promise<RateLimit | null> {
  return within(await useService(services, clientId));
}

function within(limit: RateLimit | null): RateLimit | null {
  if (limit?.isExceeded) throw rateLimited(limit);
  return limit;
}
