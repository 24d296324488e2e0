import { sendReauthenticationCode } from "../../../lib/sign_in/step_up.ts";
import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { Done } from "../../../lib/schemas/views.ts";

export const handler = endpoints({
  POST: endpoint({
    operationId: "sendReauthenticationCode",
    summary: "Email a code that proves who you are",
    description: "Only for accounts that have no other proof, and for sessions that wait for a second factor.",
    caller: "session",
    whileClosing: "open",
    whileWaiting: "open",
    returns: { 200: Done },
    errors: ["REAUTHENTICATION_REQUIRED"],
    limit: "mail",
  }, async ({ services, caller }) => {
    await sendReauthenticationCode(services, caller);
    return { success: true, message: "A code is on its way to your email address" };
  }),
});
