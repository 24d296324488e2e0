import { requireRecentProof } from "../../../lib/sign_in/proof.ts";
import { endpoints, plainEndpoint } from "../../../lib/web/endpoints/endpoint.ts";
import { exportFile } from "../../../lib/web/files/export_file.ts";
import { ExportView } from "../../../lib/accounts/export_schema.ts";

export const handler = endpoints({
  GET: plainEndpoint({
    operationId: "exportAccount",
    summary: "Export your data",
    description: "Everything that is stored about you, without secrets and without data of other people.",
    caller: "session",
    whileClosing: "open",
    returns: { 200: ExportView },
    sends: ["Content-Disposition"],
    errors: ["REAUTHENTICATION_REQUIRED"],
    limit: "export",
  }, async (ctx, caller) => {
    await requireRecentProof(ctx.state.services, caller);
    return await exportFile(ctx, caller);
  }),
});
