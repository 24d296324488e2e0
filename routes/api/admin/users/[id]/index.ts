import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";
import { noContent } from "../../../../../lib/web/endpoints/reply.ts";
import { actorIn } from "../../../../../lib/access/principal.ts";
import { reportAccount } from "../../../../../lib/admin/account_report.ts";
import { removeUser } from "../../../../../lib/admin/removal.ts";
import { accountReportView } from "../../../../../lib/admin/views.ts";
import { closingView } from "../../../../../lib/accounts/account_closing.ts";
import { ADMIN_ACT, ADMIN_READ } from "../../../../../lib/api/admin_entries.ts";
import { OneAdminAccount, RemovalSchema } from "../../../../../lib/admin/schema.ts";
import { Closing } from "../../../../../lib/accounts/schema.ts";

export const handler = endpoints({
  GET: endpoint({
    ...ADMIN_READ,
    operationId: "getAccountOf",
    summary: "Show one account",
    description: "With all that tells why someone cannot log in, and without secrets.",
    returns: { 200: OneAdminAccount },
  }, async ({ services, caller, params, ctx }) => ({
    data: accountReportView(
      await reportAccount(services, params.id, { sessionId: caller.session?.id }),
      services,
      ctx.state.language,
    ),
  })),
  DELETE: endpoint({
    ...ADMIN_ACT,
    operationId: "removeAccount",
    summary: "Delete an account",
    description:
      "Its owner can log in until `deletionDueAt` and keep it. With `now`, it and everything in it are deleted at once; API tokens " +
      "cannot do that.",
    body: RemovalSchema,
    returns: { 202: Closing, 204: null },
    errors: ["LAST_ADMIN", "SESSION_REQUIRED"],
  }, async ({ services, caller, params, input }) => {
    const dueAt = await removeUser(services, { who: params.id, by: actorIn(caller), ...input });
    if (dueAt === null) return noContent();
    return { success: true, message: "The account is closing. Its owner can keep it", ...closingView(dueAt) };
  }),
});
