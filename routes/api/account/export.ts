import { requireRecentProof } from "../../../lib/sign_in/proof.ts";
import { endpoints, plainEndpoint } from "../../../lib/web/endpoints/endpoint.ts";
import { exportFile } from "../../../lib/web/files/export_file.ts";

export const handler = endpoints({
  GET: plainEndpoint("GET /api/account/export", async (ctx, caller) => {
    await requireRecentProof(ctx.state.services, caller);
    return await exportFile(ctx, caller);
  }),
});
