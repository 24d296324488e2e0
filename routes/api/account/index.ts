import { accountView, getAccount } from "../../../lib/accounts/account.ts";
import { closeAccount, closingView } from "../../../lib/closing/account_closing.ts";
import { accepted, ok } from "../../../lib/http/json.ts";
import { parseNoBody } from "../../../lib/http/parse.ts";
import { requireCaller, requirePrincipal } from "../../../lib/web/authentication/require_user.ts";
import { withoutSessionCookie } from "../../../lib/web/authentication/session_cookie.ts";
import { define } from "../../../lib/web/state.ts";
import { requireRecentProof } from "../../../lib/sign_in/proof.ts";
import { usedBytes } from "../../../lib/uploads/quota.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { services } = ctx.state;
    const caller = await requireCaller(ctx);
    const account = await getAccount(services, caller);
    const used = await usedBytes(services.db, account.id);
    return ok({ data: accountView(account, { caller, config: services.config, usedBytes: used }) });
  },
  async DELETE(ctx) {
    const { services } = ctx.state;
    const principal = await requirePrincipal(ctx);
    await parseNoBody(ctx.req);
    await requireRecentProof(services, principal);
    const dueAt = await closeAccount(services, principal);
    const message = "Your account is closing. Log in to keep it";
    return withoutSessionCookie(accepted({ success: true, message, ...closingView(dueAt) }), services);
  },
});
