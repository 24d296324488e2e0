import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { passkeyView, renamePasskey } from "../../../lib/sign_in/passkeys/passkey.ts";
import { removePasskey } from "../../../lib/sign_in/passkeys/passkey_removal.ts";

export const handler = endpoints({
  PATCH: endpoint("PATCH /api/passkeys/{id}", async ({ services, caller, params, input }) => ({
    data: passkeyView(await renamePasskey(services, caller, { id: params.id, name: input.name })),
  })),
  DELETE: endpoint("DELETE /api/passkeys/{id}", ({ services, caller, params }) => {
    return removePasskey(services, caller, params.id);
  }),
});
