import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { requestEmailChange } from "../../../lib/sign_in/email_change.ts";

const LINK_SENT = "An email with a link to confirm the new address is on its way.";

export const handler = endpoints({
  POST: endpoint("POST /api/account/email", async ({ services, caller, input }) => {
    await requestEmailChange(services, caller, input);
    return { success: true, message: LINK_SENT };
  }),
});
