import { exportFile } from "../../../lib/web/files/export_file.ts";
import { limited } from "../../../lib/web/middleware/rate_limit.ts";
import { requirePrincipal } from "../../../lib/web/authentication/require_user.ts";
import { define } from "../../../lib/web/state.ts";
import { requireRecentProof } from "../../../lib/sign_in/proof.ts";

export const handler = define.handlers({
  GET: limited("export", async (ctx) => {
    const principal = await requirePrincipal(ctx);
    await requireRecentProof(ctx.state.services, principal);
    return await exportFile(ctx, principal);
  }),
});
