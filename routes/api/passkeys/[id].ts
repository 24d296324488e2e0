import { parseJson } from "../../../lib/http/parse.ts";
import { ok } from "../../../lib/http/json.ts";
import { requirePrincipal } from "../../../lib/web/authentication/require_user.ts";
import { define } from "../../../lib/web/state.ts";
import { PasskeyRenameSchema } from "../../../lib/schemas/passkey.ts";
import { passkeyView, renamePasskey } from "../../../lib/sign_in/passkeys/passkey.ts";
import { removePasskey } from "../../../lib/sign_in/passkeys/passkey_removal.ts";

export const handler = define.handlers({
  async PATCH(ctx) {
    const principal = await requirePrincipal(ctx);
    const { name } = await parseJson(ctx.req, PasskeyRenameSchema);
    const passkey = await renamePasskey(ctx.state.services, principal, { id: ctx.params.id, name });
    return ok({ data: passkeyView(passkey) });
  },
  async DELETE(ctx) {
    await removePasskey(ctx.state.services, await requirePrincipal(ctx), ctx.params.id);
    return new Response(null, { status: 204 });
  },
});
