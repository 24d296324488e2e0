import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { disableTotp, startTotp } from "../../../lib/sign_in/second_factor/totp_setup.ts";
import { TotpSetupView } from "../../../lib/sign_in/second_factor/schema.ts";

export const handler = endpoints({
  POST: endpoint({
    operationId: "addTotp",
    summary: "Set up an authenticator app",
    description: "Requires a recent proof. It counts once a code has confirmed it.",
    caller: "session",
    whileClosing: "refused",
    whileWaiting: "open",
    returns: { 200: TotpSetupView },
    errors: ["REAUTHENTICATION_REQUIRED", "EMAIL_NOT_VERIFIED"],
    limit: "security",
  }, ({ services, caller }) => startTotp(services, caller)),
  DELETE: endpoint({
    operationId: "removeTotp",
    summary: "Turn off the authenticator app",
    description: "Requires a recent proof.",
    caller: "session",
    whileClosing: "refused",
    returns: { 204: null },
    errors: ["REAUTHENTICATION_REQUIRED", "NOT_FOUND", "LAST_SECOND_FACTOR"],
    limit: "security",
  }, ({ services, caller }) => disableTotp(services, caller)),
});
