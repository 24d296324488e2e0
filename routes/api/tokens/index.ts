import { type CreatedToken, createToken, listTokens, tokenView } from "../../../lib/access/token_list.ts";
import { decodeJson, parseQuery, readJson } from "../../../lib/http/parse.ts";
import { created, okList } from "../../../lib/http/json.ts";
import { runOncePerKey } from "../../../lib/web/idempotency/idempotency_key.ts";
import { requirePrincipal } from "../../../lib/web/authentication/require_user.ts";
import { define } from "../../../lib/web/state.ts";
import { ApiTokenSchema } from "../../../lib/schemas/api_token.ts";
import { ListSchema, pageOf } from "../../../lib/schemas/list.ts";
import { requireRecentProof } from "../../../lib/sign_in/proof.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { user } = await requirePrincipal(ctx);
    const query = parseQuery(ctx.url, ListSchema);
    return okList(ctx.url, pageOf((await listTokens(ctx.state.services, user)).map(tokenView), query));
  },
  async POST(ctx) {
    const { services } = ctx.state;
    const principal = await requirePrincipal(ctx);
    const body = await readJson(ctx.req);
    return await runOncePerKey(ctx, { userId: principal.user.id, body }, async (answerAtCommit) => {
      const input = decodeJson(body, ApiTokenSchema);
      await requireRecentProof(services, principal);
      const respond = ({ listed, token }: CreatedToken) => created({ data: tokenView(listed), token });
      return respond(await createToken(services, principal, input, answerAtCommit(respond)));
    });
  },
});
