import { exportFile } from "../../../../../lib/web/files/export_file.ts";
import { askForProof } from "../../../../../lib/web/pages/proof.ts";
import { requirePrincipal } from "../../../../../lib/web/authentication/require_user.ts";
import { pageHandlers } from "../../../../../lib/web/pages/page_handlers.ts";

export const handler = pageHandlers({ who: "member", whileClosing: "open", limit: "export" }, {
  GET: async (ctx) => await askForProof(ctx) ?? await exportFile(ctx, await requirePrincipal(ctx)),
});
