import { exportFile } from "../../../../../lib/web/files/export_file.ts";
import { askForProof } from "../../../../../lib/web/pages/proof.ts";
import { limited } from "../../../../../lib/web/middleware/rate_limit.ts";
import { requirePrincipal } from "../../../../../lib/web/authentication/require_user.ts";
import { define } from "../../../../../lib/web/state.ts";

export const handler = define.handlers({
  GET: limited("export", async (ctx) => await askForProof(ctx) ?? await exportFile(ctx, await requirePrincipal(ctx))),
}, { whileClosing: "open" });
