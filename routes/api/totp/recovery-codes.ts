import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { renewRecoveryCodes } from "../../../lib/sign_in/second_factor/recovery_codes.ts";

export const handler = endpoints({
  POST: endpoint("POST /api/totp/recovery-codes", async ({ services, caller }) => ({
    recoveryCodes: await renewRecoveryCodes(services, caller),
  })),
});
