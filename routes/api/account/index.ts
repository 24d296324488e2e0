import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { accountView, getAccount } from "../../../lib/accounts/own_account.ts";
import { closeAccount, closingView } from "../../../lib/accounts/account_closing.ts";
import { requireRecentProof } from "../../../lib/sign_in/proof.ts";
import { usedBytes } from "../../../lib/uploads/quota.ts";
import { withoutSessionCookie } from "../../../lib/web/authentication/session_cookie.ts";
import { reply } from "../../../lib/web/endpoints/reply.ts";
import { Closing, OneAccount } from "../../../lib/accounts/schema.ts";

export const handler = endpoints({
  GET: endpoint({
    operationId: "getAccount",
    summary: "Show your account",
    description: "What it is, how it is protected, and the current session.",
    caller: "account:read",
    whileClosing: "open",
    returns: { 200: OneAccount },
  }, async ({ services, caller }) => {
    const account = await getAccount(services, caller);
    const used = await usedBytes(services.db, account.id);
    return { data: accountView(account, { caller, config: services.config, usedBytes: used }) };
  }),
  DELETE: endpoint({
    operationId: "closeAccount",
    summary: "Delete your account",
    description: "Ends all sessions. The account is deleted at `deletionDueAt`. Until then you can log in and keep it.",
    caller: "session",
    whileClosing: "refused",
    returns: { 202: Closing },
    sends: ["Set-Cookie"],
    errors: ["REAUTHENTICATION_REQUIRED", "LAST_ADMIN"],
    limit: "write",
  }, async ({ services, caller }) => {
    await requireRecentProof(services, caller);
    const dueAt = await closeAccount(services, caller);
    const message = "Your account is closing. Log in to keep it";
    return reply(
      { success: true, message, ...closingView(dueAt) },
      (response) => withoutSessionCookie(response, services),
    );
  }),
});
