import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";
import { noContent } from "../../../../../lib/web/endpoints/reply.ts";
import { actorIn } from "../../../../../lib/access/principal.ts";
import { reportAccount } from "../../../../../lib/admin/account_report.ts";
import { removeUser } from "../../../../../lib/admin/removal.ts";
import { accountReportView } from "../../../../../lib/admin/views.ts";
import { closingView } from "../../../../../lib/accounts/account_closing.ts";

export const handler = endpoints({
  GET: endpoint("GET /api/admin/users/{id}", async ({ services, caller, params, ctx }) => ({
    data: accountReportView(
      await reportAccount(services, params.id, { sessionId: caller.session?.id }),
      services,
      ctx.state.language,
    ),
  })),
  DELETE: endpoint("DELETE /api/admin/users/{id}", async ({ services, caller, params, input }) => {
    const dueAt = await removeUser(services, { who: params.id, by: actorIn(caller), ...input });
    if (dueAt === null) return noContent();
    return { success: true, message: "The account is closing. Its owner can keep it", ...closingView(dueAt) };
  }),
});
