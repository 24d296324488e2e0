import { parseJson } from "../../lib/http/parse.ts";
import { ok } from "../../lib/http/json.ts";
import { requirePrincipal } from "../../lib/web/authentication/require_user.ts";
import { define } from "../../lib/web/state.ts";
import { issueAccessToken, requireAudiences } from "../../lib/access/access_token.ts";
import { AccessTokenSchema } from "../../lib/schemas/access_token.ts";

export const handler = define.handlers({
  async POST(ctx) {
    const { services } = ctx.state;
    requireAudiences(services.config);
    const principal = await requirePrincipal(ctx);
    return ok(await issueAccessToken(services, principal, await parseJson(ctx.req, AccessTokenSchema)));
  },
});
