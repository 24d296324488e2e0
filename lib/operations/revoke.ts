import { endAllAccess } from "../access/access_end.ts";
import type { Actor } from "../activity/events.ts";
import { discardSigningKeys, prepareSigningKeys } from "../access/signing_keys.ts";
import { voidCodes } from "../links/emailed_code.ts";
import { voidLinks } from "../links/emailed_token.ts";
import { TOKEN_TABLES } from "../mail/kinds.ts";
import type { Services } from "../services.ts";

/** What a revocation has ended. */
export interface Revoked {
  signingKeys: number;
  sessions: number;
  tokens: number;
}

/**
 * Ends what someone may hold who knows APP_SECRET and the database: the keys of access tokens, all sessions and API tokens,
 * and all emailed links and codes. Nothing is forgotten: people log in again as they are used to.
 */
export async function revokeSecrets(services: Pick<Services, "db" | "now" | "config">, by: Actor): Promise<Revoked> {
  const { db } = services;
  // The links come first: nothing may open a session that is not ended.
  await voidLinks(db, undefined, ...TOKEN_TABLES);
  await voidCodes(db);
  const signingKeys = await discardSigningKeys(db);
  await prepareSigningKeys(services);
  return { signingKeys, ...await endAllAccess(services, { reason: "secrets_revoked", by }) };
}
