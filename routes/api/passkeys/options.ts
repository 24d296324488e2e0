import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { creationOptions } from "../../../lib/sign_in/passkeys/options.ts";

export const handler = endpoints({
  POST: endpoint("POST /api/passkeys/options", async ({ services, caller }) => ({
    options: await creationOptions(services, caller),
  })),
});
