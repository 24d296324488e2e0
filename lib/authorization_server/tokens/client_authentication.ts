import { Buffer } from "node:buffer";
import { hash, timingSafeEqual } from "node:crypto";
import type { RegisteredClient } from "../../config/registered_client.ts";
import { findClient } from "../../clients/registrations.ts";
import type { Services } from "../../services/services.ts";

/** How an app says who it is. */
export interface PresentedClient {
  clientId: string;
  /** Null for public clients. */
  secret: string | null;
}

/** How many secrets a client may have at a time. */
const SECRETS = 2;
/** No secret has this hash. */
const NO_HASH = "0".repeat(64);

/**
 * Returns the client whose secret is presented, or null. Either secret of a client is right. An unknown client takes as
 * long as a wrong secret: always one hash and two comparisons.
 */
export async function authenticateClient(
  services: Pick<Services, "config" | "db" | "now">,
  { clientId, secret }: PresentedClient,
): Promise<RegisteredClient | null> {
  const client = await findClient(services, clientId);
  const hashes = client?.secretHashes ?? [];
  const presented = hash("sha256", secret ?? "", "buffer");
  let isRight = false;
  for (let index = 0; index < SECRETS; index++) {
    const isEqual = timingSafeEqual(presented, Buffer.from(hashes[index] ?? NO_HASH, "hex"));
    isRight = isEqual && index < hashes.length || isRight;
  }
  if (client === null) return null;
  return (client.isPublic ? secret === null : secret !== null && isRight) ? client : null;
}
