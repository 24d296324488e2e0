import type { Transaction } from "kysely";
import type { Database, LinkMailKind } from "../../db/schema.ts";
import type { Config } from "../config/config.ts";
import { hashToken } from "../crypto/token.ts";
import { HOUR_SECONDS, secondsAfter } from "../duration.ts";
import { linkMail } from "../mail/messages.ts";
import { MAIL_LIMITS, queueMail } from "../mail/outbox.ts";
import type { Language } from "../texts/texts.ts";
import { type EmailedTokenTable, issueToken, type LinkTarget } from "./emailed_token.ts";
import { countInWindow } from "../limits/request_window.ts";

interface Link {
  tokens: EmailedTokenTable;
  lifetime: "verifyTokenTtlSeconds" | "resetTokenTtlSeconds" | "invitationTtlSeconds";
  path: string;
  /** Parameters in addition to the address and the token. */
  query?: Record<string, string>;
}

const LINKS: Record<LinkMailKind, Link> = {
  verification: { tokens: "email_verification_tokens", lifetime: "verifyTokenTtlSeconds", path: "/verify-email" },
  reset: { tokens: "password_reset_tokens", lifetime: "resetTokenTtlSeconds", path: "/reset-password" },
  invitation: {
    tokens: "password_reset_tokens",
    lifetime: "invitationTtlSeconds",
    path: "/reset-password",
    query: { invitation: "true" },
  },
  recovery: { tokens: "password_reset_tokens", lifetime: "resetTokenTtlSeconds", path: "/reset-password" },
};

/** The language of every email, until users can choose theirs. */
export const MAIL_LANGUAGE: Language = "en";

/** An email to a user, with a link that carries a single-use token. */
export interface LinkEmail extends LinkTarget {
  kind: LinkMailKind;
  user: { id: string; email: string };
  now: Date;
  config: Config;
}

/**
 * Issues a token and queues the email whose link carries it. Earlier links stay valid. `next` is stored with the token,
 * not in the link: otherwise anyone could choose some of the email's text.
 */
export async function sendLinkEmail(
  trx: Transaction<Database>,
  { kind, user: { id: userId, email }, now, config, next }: LinkEmail,
): Promise<void> {
  const { tokens, lifetime, path, query } = LINKS[kind];
  const lifetimeSeconds = config[lifetime];
  const expiresAt = secondsAfter(now, lifetimeSeconds);
  const token = await issueToken(trx, tokens, { userId, now, expiresAt, next });
  const link = `${config.baseUrl}${path}?${new URLSearchParams({ email, token, ...query })}`;
  const mail = linkMail(kind, { to: email, link, lifetimeSeconds, language: MAIL_LANGUAGE });
  await queueMail(trx, { kind, userId, mail, expiresAt, now, config });
}

/**
 * Counts a request for an email that anyone can ask for, whether or not the address has an account. Registration has
 * already sent the first confirmation.
 *
 * @returns whether the address has used up the emails of this hour.
 */
export async function countMailRequest(
  trx: Transaction<Database>,
  { kind, email, now }: { kind: "verification" | "reset" | "sign_in_code"; email: string; now: Date },
): Promise<boolean> {
  const clients = [`email:${hashToken(email)}`];
  const [{ requests }] = await countInWindow(trx, { policy: kind, clients, windowSeconds: HOUR_SECONDS, now });
  return requests + (kind === "verification" ? 1 : 0) > MAIL_LIMITS[kind].quota;
}
