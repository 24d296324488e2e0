import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { confirmTotp } from "../../../lib/sign_in/second_factor/totp_setup.ts";
import { SecondFactorSchema } from "../../../lib/sign_in/schema.ts";
import { RecoveryCodes } from "../../../lib/sign_in/second_factor/schema.ts";

export const handler = endpoints({
  POST: endpoint({
    operationId: "confirmTotp",
    summary: "Confirm an authenticator app",
    description: "Returns recovery codes, which are never shown again.",
    caller: "session",
    whileClosing: "refused",
    whileWaiting: "open",
    body: SecondFactorSchema,
    returns: { 200: RecoveryCodes },
    errors: ["PROOF_WRONG", "REAUTHENTICATION_REQUIRED"],
    limit: "proof",
  }, async ({ services, caller, input }) => ({
    recoveryCodes: await confirmTotp(services, caller, input.code),
  })),
});
