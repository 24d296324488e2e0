import { reportNotMe } from "../../lib/sign_in/not_me.ts";
import { clientOf } from "../../lib/web/client.ts";
import { endpoint, endpoints } from "../../lib/web/endpoints/endpoint.ts";

const SECURED = "Your account is secure. An email with a link to choose a new password is on its way.";

export const handler = endpoints({
  POST: endpoint("POST /auth/not-me", async ({ services, input, ctx }) => {
    await reportNotMe(services, input.token, clientOf(ctx));
    return { success: true, message: SECURED };
  }),
});
