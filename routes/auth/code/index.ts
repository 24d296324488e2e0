import { sendSignInCode } from "../../../lib/sign_in/code_login.ts";
import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";

const CODE_SENT = "If an account uses this address, an email with a code is on its way.";

export const handler = endpoints({
  POST: endpoint("POST /auth/code", async ({ services, input }) => {
    await sendSignInCode(services, input);
    return { success: true, message: CODE_SENT };
  }),
});
