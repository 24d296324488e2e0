import { parseJson } from "../../lib/http/input/parse.ts";
import { ok } from "../../lib/http/json.ts";
import { requirePrincipal } from "../../lib/http/principal/require_user.ts";
import { define } from "../../lib/http/state.ts";
import { issueAccessToken, requireAudiences } from "../../lib/programs/access_token.ts";
import { AccessTokenSchema } from "../../lib/schemas/access_token.ts";

export const handler = define.handlers({
  async POST(ctx) {
    const { services } = ctx.state;
    requireAudiences(services.config);
    const principal = await requirePrincipal(ctx);
    return ok(await issueAccessToken(services, principal, await parseJson(ctx.req, AccessTokenSchema)));
  },
});
