import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";
import { unlinkIdentity } from "../../../../lib/sign_in/providers/identity.ts";

export const handler = endpoints({
  DELETE: endpoint({
    operationId: "unlinkIdentity",
    summary: "Disconnect an identity provider",
    description: "Requires a recent proof.",
    caller: "session",
    whileClosing: "refused",
    returns: { 204: null },
    errors: ["REAUTHENTICATION_REQUIRED", "NOT_FOUND", "LAST_SIGN_IN_METHOD"],
    limit: "security",
  }, ({ services, caller, params }) => {
    return unlinkIdentity(services, caller, params.id);
  }),
});
