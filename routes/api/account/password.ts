import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { changePassword } from "../../../lib/sign_in/password_change.ts";

export const handler = endpoints({
  PUT: endpoint("PUT /api/account/password", async ({ services, caller, input }) => {
    await changePassword(services, caller, input);
    return { success: true, message: "Password changed" };
  }),
});
