import { requiredProvider } from "../../lib/config/sign_in_domains.ts";
import { reportNotMe } from "../../lib/sign_in/not_me.ts";
import { clientOf } from "../../lib/web/client.ts";
import { endpoint, endpoints } from "../../lib/web/endpoints/endpoint.ts";
import { LinkTokenSchema } from "../../lib/sign_in/schema.ts";
import { Done } from "../../lib/schemas/views.ts";

const SECURED = "Your account is secure. An email with a link to get back in is on its way.";
const LOG_IN = "Your account is secure. Log in with your identity provider.";

export const handler = endpoints({
  POST: endpoint({
    operationId: "undoReportedChanges",
    summary: "Undo what an alert reports",
    description:
      "Undoes everything done to the account since. Ends all sessions, removes the password and emails a reset link; " +
      "where `PASSWORDS` gives no one a new password, a link that logs in once. Where `SIGN_IN_DOMAINS` demands a " +
      "provider, nothing is emailed.",
    caller: "public",
    tokens: "session",
    whileClosing: "open",
    body: LinkTokenSchema,
    returns: { 200: Done },
    errors: ["INVALID_TOKEN"],
    limit: "guess",
  }, async ({ services, input, ctx }) => {
    const email = await reportNotMe(services, input.token, clientOf(ctx));
    return { success: true, message: requiredProvider(services.config, email) === null ? SECURED : LOG_IN };
  }),
});
