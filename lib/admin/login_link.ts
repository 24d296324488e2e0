import { isInvited } from "../accounts/invitation.ts";
import { recordEvent } from "../activity/events.ts";
import { MINUTE_SECONDS, secondsAfter } from "../duration.ts";
import { AppError } from "../errors/errors.ts";
import { issueToken } from "../mail/links/emailed_token.ts";
import type { Services } from "../services/services.ts";
import { LOGIN_LINK_PAGE, PRINTED_PREFIX } from "../sign_in/login_link.ts";
import { type AdminAct, lockAccount } from "./locked_account.ts";

const LINK_SECONDS = 10 * MINUTE_SECONDS;

/**
 * Makes a link that logs in once, for someone who has no other way in. The caller hands it over. It asks for the second
 * step, as every way in does. It also confirms the address of someone who has not accepted their invitation.
 *
 * @throws {AppError} NOT_FOUND; ACCOUNT_SUSPENDED; EMAIL_NOT_VERIFIED for someone who has registered.
 */
export async function createLoginLink(
  services: Services,
  act: AdminAct,
): Promise<{ email: string; link: string; expiresAt: Date }> {
  const now = services.now();
  const expiresAt = secondsAfter(now, LINK_SECONDS);
  return await services.db.transaction().execute(async (trx) => {
    const { id: userId, email, ...account } = await lockAccount(trx, act);
    if (account.suspended_at !== null) throw new AppError("ACCOUNT_SUSPENDED");
    if (!account.email_verified && !await isInvited(trx, userId)) {
      throw new AppError("EMAIL_NOT_VERIFIED", { reason: "loginLink" });
    }
    const issued = { userId, now, expiresAt, replacesEarlier: true, prefix: PRINTED_PREFIX };
    const token = await issueToken(trx, "login_link_tokens", issued);
    await recordEvent(trx, { kind: "session.link_created", userId, ...act.by }, now);
    const query = new URLSearchParams({ email, token });
    return { email, link: `${services.config.baseUrl}${LOGIN_LINK_PAGE}?${query}`, expiresAt };
  });
}
