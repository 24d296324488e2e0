import { requestOptions } from "../../../lib/sign_in/passkeys/options.ts";
import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";

export const handler = endpoints({
  POST: endpoint("POST /auth/passkey/options", async ({ services }) => ({ options: await requestOptions(services) })),
});
