import { getAccount } from "../../../../lib/accounts/account.ts";
import { identityView } from "../../../../lib/accounts/identities.ts";
import { withAttemptCookies } from "../../../../lib/http/idp_sign_in.ts";
import { parseJson } from "../../../../lib/http/input/parse.ts";
import { ok } from "../../../../lib/http/json.ts";
import { requireCaller, requirePrincipal } from "../../../../lib/http/principal/require_user.ts";
import { define } from "../../../../lib/http/state.ts";
import { IdentityLinkSchema } from "../../../../lib/schemas/account.ts";
import { startLink } from "../../../../lib/sign_in/providers/identity_link.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { services } = ctx.state;
    const account = await getAccount(services, await requireCaller(ctx));
    const { config } = services;
    return ok({ data: account.identities.map((identity) => identityView(identity, { account, config })) });
  },
  async POST(ctx) {
    const { services } = ctx.state;
    const principal = await requirePrincipal(ctx);
    const { provider } = await parseJson(ctx.req, IdentityLinkSchema);
    const { url, attempt } = await startLink(services, principal, provider);
    return withAttemptCookies(ok({ url }), attempt, services.config);
  },
});
