import { exportFile } from "../../../lib/http/files/export_file.ts";
import { limited } from "../../../lib/http/rate_limit.ts";
import { requirePrincipal } from "../../../lib/http/principal/require_user.ts";
import { define } from "../../../lib/http/state.ts";
import { requireRecentProof } from "../../../lib/sign_in/proof.ts";

export const handler = define.handlers({
  GET: limited("export", async (ctx) => {
    const principal = await requirePrincipal(ctx);
    await requireRecentProof(ctx.state.services, principal);
    return await exportFile(ctx, principal);
  }),
});
