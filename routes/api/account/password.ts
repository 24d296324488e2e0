import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { changePassword } from "../../../lib/sign_in/password_change.ts";
import { PasswordChangeSchema } from "../../../lib/sign_in/schema.ts";
import { Done } from "../../../lib/schemas/views.ts";

export const handler = endpoints({
  PUT: endpoint({
    operationId: "changePassword",
    summary: "Change your password",
    description:
      "Voids reset links, and ends your other sessions unless `keepOthers` is true. Accounts without a password omit " +
      "`currentPassword` and need a recent proof.",
    caller: "session",
    whileClosing: "refused",
    body: PasswordChangeSchema,
    returns: { 200: Done },
    errors: ["PROOF_WRONG", "PASSWORDS_OFF", "REAUTHENTICATION_REQUIRED"],
    limit: "security",
  }, async ({ services, caller, input }) => {
    await changePassword(services, caller, input);
    return { success: true, message: "Password changed" };
  }),
});
