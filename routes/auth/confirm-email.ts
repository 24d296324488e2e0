import { confirmEmailChange } from "../../lib/sign_in/email_change.ts";
import { clientOf } from "../../lib/web/client.ts";
import { endpoint, endpoints } from "../../lib/web/endpoints/endpoint.ts";

export const handler = endpoints({
  POST: endpoint("POST /auth/confirm-email", async ({ services, input, ctx }) => {
    await confirmEmailChange(services, input.token, clientOf(ctx));
    return { success: true, message: "Email address changed" };
  }),
});
