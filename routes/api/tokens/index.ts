import { createToken, listTokens, tokenView } from "../../../lib/accounts/tokens/token_list.ts";
import { parseJson } from "../../../lib/http/input/parse.ts";
import { created, ok } from "../../../lib/http/json.ts";
import { requirePrincipal } from "../../../lib/http/principal/require_user.ts";
import { define } from "../../../lib/http/state.ts";
import { ApiTokenSchema } from "../../../lib/schemas/api_token.ts";
import { requireRecentProof } from "../../../lib/sign_in/proof.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { user } = await requirePrincipal(ctx);
    return ok({ data: (await listTokens(ctx.state.services, user)).map(tokenView) });
  },
  async POST(ctx) {
    const { services } = ctx.state;
    const principal = await requirePrincipal(ctx);
    const input = await parseJson(ctx.req, ApiTokenSchema);
    await requireRecentProof(services, principal);
    const { listed, token } = await createToken(services, principal, input);
    return created({ data: tokenView(listed), token });
  },
});
