import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { confirmTotp } from "../../../lib/sign_in/second_factor/totp_setup.ts";

export const handler = endpoints({
  POST: endpoint("POST /api/totp/confirm", async ({ services, caller, input }) => ({
    recoveryCodes: await confirmTotp(services, caller, input.code),
  })),
});
