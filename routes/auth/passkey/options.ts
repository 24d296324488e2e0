import { requestOptions } from "../../../lib/sign_in/passkeys/options.ts";
import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { PasskeyOptions } from "../../../lib/sign_in/passkeys/schema.ts";

export const handler = endpoints({
  POST: endpoint({
    operationId: "getPasskeyLoginOptions",
    summary: "Get the options to log in with a passkey",
    description: "They also serve for a proof with a passkey.",
    caller: "public",
    tokens: "session",
    whileClosing: "open",
    limit: { none: "Pages call it whenever they load, and it neither reads nor stores anything" },
    returns: { 200: PasskeyOptions },
  }, async ({ services }) => ({ options: await requestOptions(services) })),
});
