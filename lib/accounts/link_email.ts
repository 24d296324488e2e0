import type { Transaction } from "kysely";
import type { Database, MailKind } from "../../db/schema.ts";
import type { Config } from "../config.ts";
import { secondsAfter } from "../duration.ts";
import { linkMail } from "../mail/messages.ts";
import { queueMail } from "../mail/outbox.ts";
import type { Language } from "../words/words.ts";
import { type EmailedTokenTable, issueToken } from "./emailed_token.ts";

interface Link {
  tokens: EmailedTokenTable;
  lifetime: "verifyTokenTtlSeconds" | "resetTokenTtlSeconds" | "invitationTtlSeconds";
  path: string;
  /** Parameters in addition to the address and the token. */
  query?: Record<string, string>;
}

const LINKS: Record<MailKind, Link> = {
  verification: { tokens: "email_verification_tokens", lifetime: "verifyTokenTtlSeconds", path: "/verify-email" },
  reset: { tokens: "password_reset_tokens", lifetime: "resetTokenTtlSeconds", path: "/reset-password" },
  invitation: {
    tokens: "password_reset_tokens",
    lifetime: "invitationTtlSeconds",
    path: "/reset-password",
    query: { invitation: "true" },
  },
};

/** The language of every email, until users can choose theirs. */
const LANGUAGE: Language = "en";

/** An email to a user whose link carries a single-use token. */
export interface LinkEmail {
  kind: MailKind;
  user: { id: string; email: string };
  now: Date;
  config: Config;
}

/** Issues a token and queues the email whose link carries it. Earlier links stay valid. */
export async function sendLinkEmail(
  trx: Transaction<Database>,
  { kind, user: { id: userId, email }, now, config }: LinkEmail,
): Promise<void> {
  const { tokens, lifetime, path, query } = LINKS[kind];
  const lifetimeSeconds = config[lifetime];
  const expiresAt = secondsAfter(now, lifetimeSeconds);
  const token = await issueToken(trx, tokens, { userId, now, expiresAt });
  const link = `${config.baseUrl}${path}?${new URLSearchParams({ email, token, ...query })}`;
  const mail = linkMail(kind, { to: email, link, lifetimeSeconds, language: LANGUAGE });
  await queueMail(trx, { kind, userId, mail, expiresAt, now, config });
}
