import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";
import { getAccount } from "../../../../lib/accounts/own_account.ts";
import { identityView } from "../../../../lib/accounts/identities.ts";
import { pageOf } from "../../../../lib/schemas/list.ts";
import { startLink } from "../../../../lib/sign_in/providers/identity_link.ts";
import { withAttemptCookies } from "../../../../lib/web/authentication/attempt_cookies.ts";
import { reply } from "../../../../lib/web/endpoints/reply.ts";

export const handler = endpoints({
  GET: endpoint("GET /api/account/identities", async ({ services, caller, query }) => {
    const { config } = services;
    const account = await getAccount(services, caller);
    return pageOf(account.identities.map((identity) => identityView(identity, { account, config })), query);
  }),
  POST: endpoint("POST /api/account/identities", async ({ services, caller, input, ctx }) => {
    const { url, attempt } = await startLink(services, caller, input.provider);
    return reply({ url }, (response) => withAttemptCookies(response, ctx.req, attempt, services.config));
  }),
});
