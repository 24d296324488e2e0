import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { renewRecoveryCodes } from "../../../lib/sign_in/second_factor/recovery_codes.ts";
import { RecoveryCodes } from "../../../lib/sign_in/second_factor/schema.ts";

export const handler = endpoints({
  POST: endpoint({
    operationId: "replaceRecoveryCodes",
    summary: "Replace the recovery codes",
    description: "Requires a recent proof.",
    caller: "session",
    whileClosing: "refused",
    returns: { 200: RecoveryCodes },
    errors: ["REAUTHENTICATION_REQUIRED", "NOT_FOUND"],
    limit: "security",
  }, async ({ services, caller }) => ({
    recoveryCodes: await renewRecoveryCodes(services, caller),
  })),
});
