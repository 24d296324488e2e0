import { parseJson } from "../../../lib/http/input/parse.ts";
import { created, ok } from "../../../lib/http/json.ts";
import { requirePrincipal } from "../../../lib/http/principal/require_user.ts";
import { define } from "../../../lib/http/state.ts";
import { NewPasskeySchema } from "../../../lib/schemas/passkey.ts";
import { listPasskeys, passkeyView } from "../../../lib/sign_in/passkeys/passkey.ts";
import { addPasskey } from "../../../lib/sign_in/passkeys/passkey_addition.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const passkeys = await listPasskeys(ctx.state.services, await requirePrincipal(ctx));
    return ok({ data: passkeys.map(passkeyView) });
  },
  async POST(ctx) {
    const principal = await requirePrincipal(ctx);
    const input = await parseJson(ctx.req, NewPasskeySchema);
    return created({ data: passkeyView(await addPasskey(ctx.state.services, principal, input)) });
  },
});
