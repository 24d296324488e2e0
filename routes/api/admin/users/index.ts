import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";
import { listAccounts } from "../../../../lib/admin/account_list.ts";
import { listedAccountView } from "../../../../lib/admin/views.ts";
import { cursorOfId } from "../../../../lib/schemas/list.ts";

export const handler = endpoints({
  GET: endpoint("GET /api/admin/users", async ({ services, query: { cursor, ...query } }) => {
    const { accounts, next } = await listAccounts(services, { ...query, after: cursor });
    return { data: accounts.map(listedAccountView), nextCursor: next && cursorOfId(next) };
  }),
});
