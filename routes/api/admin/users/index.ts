import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";
import { listAccounts } from "../../../../lib/admin/account_list.ts";
import { listedAccountView } from "../../../../lib/admin/views.ts";
import { cursorOfId } from "../../../../lib/schemas/list.ts";
import { ADMIN_READ } from "../../../../lib/api/admin_entries.ts";
import { AccountListSchema, AdminAccountList } from "../../../../lib/admin/schema.ts";

export const handler = endpoints({
  GET: endpoint({
    ...ADMIN_READ,
    operationId: "listAccounts",
    summary: "List accounts",
    description: "Newest first.",
    query: AccountListSchema,
    returns: { 200: AdminAccountList },
    sends: ["Link"],
  }, async ({ services, query: { cursor, ...query } }) => {
    const { accounts, next } = await listAccounts(services, { ...query, after: cursor });
    return { data: accounts.map(listedAccountView), nextCursor: next && cursorOfId(next) };
  }),
});
