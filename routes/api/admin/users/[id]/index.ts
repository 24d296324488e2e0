import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";
import { reportAccount } from "../../../../../lib/admin/account_report.ts";
import { accountReportView } from "../../../../../lib/admin/views.ts";

export const handler = endpoints({
  GET: endpoint("GET /api/admin/users/{id}", async ({ services, caller, params, ctx }) => ({
    data: accountReportView(
      await reportAccount(services, params.id, { sessionId: caller.session?.id }),
      services,
      ctx.state.language,
    ),
  })),
});
