import { parseNoBody } from "../../../lib/http/parse.ts";
import { ok } from "../../../lib/http/json.ts";
import { requirePrincipal } from "../../../lib/web/authentication/require_user.ts";
import { define } from "../../../lib/web/state.ts";
import { renewRecoveryCodes } from "../../../lib/sign_in/second_factor/recovery_codes.ts";

export const handler = define.handlers({
  async POST(ctx) {
    const principal = await requirePrincipal(ctx);
    await parseNoBody(ctx.req);
    return ok({ recoveryCodes: await renewRecoveryCodes(ctx.state.services, principal) });
  },
});
