import { confirmEmailChange } from "../../lib/sign_in/email_change.ts";
import { clientOf } from "../../lib/web/client.ts";
import { endpoint, endpoints } from "../../lib/web/endpoints/endpoint.ts";
import { LinkTokenSchema } from "../../lib/sign_in/schema.ts";
import { Done } from "../../lib/schemas/views.ts";

export const handler = endpoints({
  POST: endpoint({
    operationId: "confirmEmailChange",
    summary: "Change the email address",
    description: "`token` is in the link that was emailed to the new address.",
    caller: "public",
    whileClosing: "open",
    body: LinkTokenSchema,
    returns: { 200: Done },
    errors: ["INVALID_TOKEN", "PROVIDER_REQUIRED", "EMAIL_TAKEN"],
    limit: "guess",
  }, async ({ services, input, ctx }) => {
    await confirmEmailChange(services, input.token, clientOf(ctx));
    return { success: true, message: "Email address changed" };
  }),
});
