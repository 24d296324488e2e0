import { sendSignInCode } from "../../../lib/sign_in/code_login.ts";
import { findLoginRequest, withLoginRequest } from "../../../lib/web/authentication/login_request.ts";
import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { reply } from "../../../lib/web/endpoints/reply.ts";
import { requireSignInCodes } from "../../../lib/config/features.ts";
import { SignInCodeRequestSchema } from "../../../lib/sign_in/schema.ts";
import { Done } from "../../../lib/schemas/views.ts";

const CODE_SENT = "If an account uses this address, an email with a code is on its way.";

export const handler = endpoints({
  POST: endpoint({
    operationId: "sendSignInCode",
    summary: "Email a code to log in with",
    description: "Where SIGN_IN_CODES is on. The response is the same for every address. It sets the cookie " +
      "`login_request`, with which the link beside the code works in this browser.",
    caller: "public",
    tokens: "session",
    whileClosing: "open",
    requireFeature: requireSignInCodes,
    body: SignInCodeRequestSchema,
    returns: { 200: Done },
    errors: ["PROVIDER_REQUIRED"],
    sends: ["Set-Cookie"],
    limit: "mail",
  }, async ({ services, input, ctx }) => {
    const browser = { requestToken: findLoginRequest(ctx.req, services.config) };
    const { requestToken } = await sendSignInCode(services, input, browser);
    return reply(
      { success: true, message: CODE_SENT },
      (response) => withLoginRequest(response, requestToken, services.config),
    );
  }),
});
