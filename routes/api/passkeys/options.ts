import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { creationOptions } from "../../../lib/sign_in/passkeys/options.ts";
import { PasskeyOptions } from "../../../lib/sign_in/passkeys/schema.ts";

export const handler = endpoints({
  POST: endpoint({
    operationId: "getPasskeyCreationOptions",
    summary: "Get the options to create a passkey",
    description: "Requires a recent proof.",
    caller: "session",
    whileClosing: "refused",
    whileWaiting: "open",
    returns: { 200: PasskeyOptions },
    errors: ["REAUTHENTICATION_REQUIRED", "TOO_MANY"],
    limit: { none: "Pages call it whenever a passkey is created, and it stores nothing" },
  }, async ({ services, caller }) => ({
    options: await creationOptions(services, caller),
  })),
});
