import { exportFile } from "../../../../../lib/http/files/export_file.ts";
import { askForProof } from "../../../../../lib/http/pages/proof.ts";
import { limited } from "../../../../../lib/http/rate_limit.ts";
import { requirePrincipal } from "../../../../../lib/http/principal/require_user.ts";
import { define } from "../../../../../lib/http/state.ts";

export const handler = define.handlers({
  GET: limited("export", async (ctx) => await askForProof(ctx) ?? await exportFile(ctx, await requirePrincipal(ctx))),
});
