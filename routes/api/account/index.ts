import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { accountView, getAccount } from "../../../lib/accounts/own_account.ts";
import { closeAccount, closingView } from "../../../lib/accounts/account_closing.ts";
import { requireRecentProof } from "../../../lib/sign_in/proof.ts";
import { usedBytes } from "../../../lib/uploads/quota.ts";
import { withoutSessionCookie } from "../../../lib/web/authentication/session_cookie.ts";
import { reply } from "../../../lib/web/endpoints/reply.ts";

export const handler = endpoints({
  GET: endpoint("GET /api/account", async ({ services, caller }) => {
    const account = await getAccount(services, caller);
    const used = await usedBytes(services.db, account.id);
    return { data: accountView(account, { caller, config: services.config, usedBytes: used }) };
  }),
  DELETE: endpoint("DELETE /api/account", async ({ services, caller }) => {
    await requireRecentProof(services, caller);
    const dueAt = await closeAccount(services, caller);
    const message = "Your account is closing. Log in to keep it";
    return reply(
      { success: true, message, ...closingView(dueAt) },
      (response) => withoutSessionCookie(response, services),
    );
  }),
});
