import { ok } from "../../lib/http/json.ts";
import { endpoints, plainEndpoint } from "../../lib/web/endpoints/endpoint.ts";
import { listPublicKeys } from "../../lib/access/signing_keys.ts";
import { PublicKeySet } from "../../lib/authorization_server/schema.ts";

/** A new key is published an hour before it signs. */
const CACHED_SECONDS = 300;

/** Products check tokens with these keys. Scripts of every origin may read them. Source: RFC 7517, 5. */
export const handler = endpoints({
  GET: plainEndpoint({
    operationId: "listKeys",
    summary: "Return the public keys of tokens",
    description: "A JSON Web Key Set. Access tokens are signed with ES256, ID tokens with RS256 or ES256.",
    caller: "public",
    whileClosing: "open",
    returns: { 200: PublicKeySet },
  }, async ({ state: { services } }) => {
    const keys = await listPublicKeys(services);
    return ok({ keys }, { "Cache-Control": `public, max-age=${CACHED_SECONDS}`, "Access-Control-Allow-Origin": "*" });
  }),
});
