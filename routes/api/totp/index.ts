import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { disableTotp, startTotp } from "../../../lib/sign_in/second_factor/totp_setup.ts";

export const handler = endpoints({
  POST: endpoint("POST /api/totp", ({ services, caller }) => startTotp(services, caller)),
  DELETE: endpoint("DELETE /api/totp", ({ services, caller }) => disableTotp(services, caller)),
});
