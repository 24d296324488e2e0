import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { passkeyView, renamePasskey } from "../../../lib/sign_in/passkeys/passkey.ts";
import { removePasskey } from "../../../lib/sign_in/passkeys/passkey_removal.ts";
import { OnePasskey, PasskeyRenameSchema } from "../../../lib/sign_in/passkeys/schema.ts";

export const handler = endpoints({
  PATCH: endpoint({
    operationId: "renamePasskey",
    summary: "Rename a passkey",
    caller: "session",
    whileClosing: "refused",
    body: PasskeyRenameSchema,
    returns: { 200: OnePasskey },
    errors: ["NOT_FOUND"],
    limit: "write",
  }, async ({ services, caller, params, input }) => ({
    data: passkeyView(await renamePasskey(services, caller, { id: params.id, name: input.name })),
  })),
  DELETE: endpoint({
    operationId: "removePasskey",
    summary: "Remove a passkey",
    description: "Requires a recent proof.",
    caller: "session",
    whileClosing: "refused",
    returns: { 204: null },
    errors: ["REAUTHENTICATION_REQUIRED", "NOT_FOUND", "LAST_SIGN_IN_METHOD", "LAST_SECOND_FACTOR"],
    limit: "security",
  }, ({ services, caller, params }) => {
    return removePasskey(services, caller, params.id);
  }),
});
