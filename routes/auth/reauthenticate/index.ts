import { parseJson } from "../../../lib/http/parse.ts";
import { ok } from "../../../lib/http/json.ts";
import { limited } from "../../../lib/web/middleware/rate_limit.ts";
import { requirePrincipal } from "../../../lib/web/authentication/require_user.ts";
import { replaceSession } from "../../../lib/web/authentication/current_session.ts";
import { define } from "../../../lib/web/state.ts";
import { ProofSchema } from "../../../lib/schemas/account.ts";
import { proofView } from "../../../lib/sign_in/proof.ts";
import { reauthenticate } from "../../../lib/sign_in/step_up.ts";

export const handler = define.handlers({
  POST: limited("proof", async (ctx) => {
    const { services } = ctx.state;
    const principal = await requirePrincipal(ctx);
    const proof = await parseJson(ctx.req, ProofSchema);
    const session = await reauthenticate(services, principal, { proof });
    replaceSession(ctx, session);
    return ok({ success: true, message: "Identity confirmed", ...proofView(services, session) });
  }),
});
