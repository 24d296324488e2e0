import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { restoreAccount } from "../../../lib/accounts/account_closing.ts";
import { Done } from "../../../lib/schemas/views.ts";

export const handler = endpoints({
  POST: endpoint({
    operationId: "restoreAccount",
    summary: "Keep an account that is closing",
    caller: "session",
    whileClosing: "open",
    whileWaiting: "open",
    returns: { 200: Done },
    limit: "write",
  }, async ({ services, caller }) => {
    await restoreAccount(services, caller);
    return { success: true, message: "Account deletion canceled" };
  }),
});
