import { getAccount } from "../../../../lib/accounts/account.ts";
import { identityView } from "../../../../lib/accounts/identities.ts";
import { withAttemptCookies } from "../../../../lib/web/authentication/idp_sign_in.ts";
import { parseJson, parseQuery } from "../../../../lib/http/parse.ts";
import { ok, okList } from "../../../../lib/http/json.ts";
import { requireCaller, requirePrincipal } from "../../../../lib/web/authentication/require_user.ts";
import { define } from "../../../../lib/web/state.ts";
import { IdentityLinkSchema } from "../../../../lib/schemas/account.ts";
import { ListSchema, pageOf } from "../../../../lib/schemas/list.ts";
import { startLink } from "../../../../lib/sign_in/providers/identity_link.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { services } = ctx.state;
    const caller = await requireCaller(ctx);
    const query = parseQuery(ctx.url, ListSchema);
    const account = await getAccount(services, caller);
    const { config } = services;
    const identities = account.identities.map((identity) => identityView(identity, { account, config }));
    return okList(ctx.url, pageOf(identities, query));
  },
  async POST(ctx) {
    const { services } = ctx.state;
    const principal = await requirePrincipal(ctx);
    const { provider } = await parseJson(ctx.req, IdentityLinkSchema);
    const { url, attempt } = await startLink(services, principal, provider);
    return withAttemptCookies(ok({ url }), ctx.req, attempt, services.config);
  },
});
