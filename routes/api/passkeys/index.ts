import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { pageOf } from "../../../lib/schemas/list.ts";
import { listPasskeys, passkeyView } from "../../../lib/sign_in/passkeys/passkey.ts";
import { addPasskey } from "../../../lib/sign_in/passkeys/passkey_addition.ts";

export const handler = endpoints({
  GET: endpoint("GET /api/passkeys", async ({ services, caller, query }) => {
    return pageOf((await listPasskeys(services, caller)).map(passkeyView), query);
  }),
  POST: endpoint("POST /api/passkeys", async ({ services, caller, input }) => ({
    data: passkeyView(await addPasskey(services, caller, input)),
  })),
});
