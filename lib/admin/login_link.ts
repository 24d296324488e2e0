import { recordEvent } from "../activity/events.ts";
import { MINUTE_SECONDS, secondsAfter } from "../duration.ts";
import { AppError } from "../errors/errors.ts";
import { issueToken } from "../mail/links/emailed_token.ts";
import type { Services } from "../services/services.ts";
import { LOGIN_LINK_PAGE } from "../sign_in/login_link.ts";
import { type AdminAct, lockAccount } from "./locked_account.ts";

const LINK_SECONDS = 10 * MINUTE_SECONDS;

/**
 * Makes a link that logs in once, for a person to whom every other door is shut. The caller hands it over. It asks for
 * the second step, as every way in does.
 *
 * @throws {AppError} NOT_FOUND; ACCOUNT_SUSPENDED.
 */
export async function createLoginLink(
  services: Services,
  act: AdminAct,
): Promise<{ email: string; link: string; expiresAt: Date }> {
  const now = services.now();
  const expiresAt = secondsAfter(now, LINK_SECONDS);
  return await services.db.transaction().execute(async (trx) => {
    const { id: userId, email, suspended_at: suspendedAt } = await lockAccount(trx, act);
    if (suspendedAt !== null) throw new AppError("ACCOUNT_SUSPENDED");
    const token = await issueToken(trx, "login_link_tokens", { userId, now, expiresAt, replacesEarlier: true });
    await recordEvent(trx, { kind: "session.link_created", userId, ...act.by }, now);
    const query = new URLSearchParams({ email, token });
    return { email, link: `${services.config.baseUrl}${LOGIN_LINK_PAGE}?${query}`, expiresAt };
  });
}
