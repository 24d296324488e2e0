import { parseJson } from "../../../lib/http/parse.ts";
import { ok } from "../../../lib/http/json.ts";
import { limited } from "../../../lib/web/middleware/rate_limit.ts";
import { requirePrincipal } from "../../../lib/web/authentication/require_user.ts";
import { define } from "../../../lib/web/state.ts";
import { SecondFactorSchema } from "../../../lib/schemas/account.ts";
import { confirmTotp } from "../../../lib/sign_in/second_factor/totp_setup.ts";

export const handler = define.handlers({
  POST: limited("proof", async (ctx) => {
    const principal = await requirePrincipal(ctx);
    const { code } = await parseJson(ctx.req, SecondFactorSchema);
    return ok({ recoveryCodes: await confirmTotp(ctx.state.services, principal, code) });
  }),
});
