import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { restoreAccount } from "../../../lib/accounts/account_closing.ts";

export const handler = endpoints({
  POST: endpoint("POST /api/account/restore", async ({ services, caller }) => {
    await restoreAccount(services, caller);
    return { success: true, message: "Account deletion canceled" };
  }),
});
