import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";
import { getAccount } from "../../../../lib/accounts/own_account.ts";
import { identityView } from "../../../../lib/accounts/identities.ts";
import { ListSchema, pageOf } from "../../../../lib/schemas/list.ts";
import { startLink } from "../../../../lib/sign_in/providers/identity_link.ts";
import { withAttemptCookies } from "../../../../lib/web/authentication/attempt_cookies.ts";
import { reply } from "../../../../lib/web/endpoints/reply.ts";
import { IdentityList, LinkStarted } from "../../../../lib/accounts/schema.ts";
import { IdentityLinkSchema } from "../../../../lib/sign_in/schema.ts";

export const handler = endpoints({
  GET: endpoint({
    operationId: "listIdentities",
    summary: "List the identity providers that you can log in with",
    caller: "account:read",
    whileClosing: "refused",
    query: ListSchema,
    returns: { 200: IdentityList },
    sends: ["Link"],
  }, async ({ services, caller, query }) => {
    const { config } = services;
    const account = await getAccount(services, caller);
    return pageOf(account.identities.map((identity) => identityView(identity, { account, config })), query);
  }),
  POST: endpoint({
    operationId: "linkIdentity",
    summary: "Connect an identity provider",
    description: "Returns the URL to send the browser to. Requires a recent proof.",
    caller: "session",
    whileClosing: "refused",
    body: IdentityLinkSchema,
    returns: { 200: LinkStarted },
    sends: ["Set-Cookie"],
    errors: ["EMAIL_NOT_VERIFIED", "REAUTHENTICATION_REQUIRED", "IDP_NOT_CONFIGURED", "NOT_FOUND"],
    limit: "security",
  }, async ({ services, caller, input, ctx }) => {
    const { url, attempt } = await startLink(services, caller, input.provider);
    return reply({ url }, (response) => withAttemptCookies(response, ctx.req, attempt, services.config));
  }),
});
