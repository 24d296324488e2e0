import type { Principal } from "../../access/principal.ts";
import { countUse, type LimitedUse, rateLimited } from "../../limits/rate_limit.ts";
import type { Services } from "../../services/services.ts";
import type { User } from "../../users/user_row.ts";
import type { AuthorizeRequest } from "./authorize_request.ts";
import { createGrant } from "../grant.ts";
import { answerAddress } from "./redirect_uri.ts";
import type { RegisteredClient } from "../../config/registered_client.ts";

/** Codes are counted for each person and app: an app that keeps asking must not keep others from working. */
export function authorizeUse({ user, client }: { user: Pick<User, "id">; client: RegisteredClient }): LimitedUse {
  return { policy: "authorize", clients: [`user:${user.id}:${client.id}`] };
}

/**
 * Allows an app what it asks for. The caller has made sure that no other step comes first.
 *
 * @returns the address at the app, with the code.
 * @throws {AppError} RATE_LIMITED; UNAUTHENTICATED when the session has ended in the meantime.
 */
export async function authorize(
  services: Services,
  { user, session, client: from }: Principal,
  request: AuthorizeRequest,
): Promise<string> {
  const { client, scopes, resource, redirectUri, codeChallenge, nonce } = request;
  const counted = await countUse(services, authorizeUse({ user, client }));
  if (counted?.isExceeded) throw rateLimited(counted);
  const granted = { scopes, resource: resource?.uri ?? null, redirectUri, codeChallenge, nonce };
  const code = await services.db.transaction().execute((trx) =>
    createGrant(trx, services, { user, session, client, request: granted, from })
  );
  return answerAddress(request, { code, issuer: services.config.baseUrl });
}
