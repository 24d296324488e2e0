import { parseJson, parseQuery } from "../../../lib/http/parse.ts";
import { created, okList } from "../../../lib/http/json.ts";
import { requirePrincipal } from "../../../lib/web/authentication/require_user.ts";
import { define } from "../../../lib/web/state.ts";
import { ListSchema, pageOf } from "../../../lib/schemas/list.ts";
import { NewPasskeySchema } from "../../../lib/schemas/passkey.ts";
import { listPasskeys, passkeyView } from "../../../lib/sign_in/passkeys/passkey.ts";
import { addPasskey } from "../../../lib/sign_in/passkeys/passkey_addition.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const principal = await requirePrincipal(ctx);
    const query = parseQuery(ctx.url, ListSchema);
    return okList(ctx.url, pageOf((await listPasskeys(ctx.state.services, principal)).map(passkeyView), query));
  },
  async POST(ctx) {
    const principal = await requirePrincipal(ctx);
    const input = await parseJson(ctx.req, NewPasskeySchema);
    return created({ data: passkeyView(await addPasskey(ctx.state.services, principal, input)) });
  },
});
