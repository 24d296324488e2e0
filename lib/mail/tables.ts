import type { ColumnType, Generated } from "kysely";
import { z } from "zod";
import { DAY_SECONDS } from "../duration.ts";
import { Amount, EntityId, Time } from "../schemas/views.ts";
import { type RowEnd, type TableRules, TOKEN_KEPT_SECONDS } from "../schemas/table.ts";
import type { MailKind } from "./kinds.ts";

export interface TokensTable {
  id: string;
  user_id: string;
  /** SHA-256 of the token, base64url. */
  token_hash: string;
  expires_at: Date;
  used: ColumnType<boolean, boolean | undefined>;
  /** The page of this site to go to once the link has been used; null if the request for it named none. */
  next: ColumnType<string | null, string | null | undefined>;
}

/** The tokens of links that also work while the user has another address. */
export interface AddressTokensTable {
  id: string;
  user_id: string;
  /** SHA-256 of the token, base64url. */
  token_hash: string;
  /** The address that the token was emailed to. */
  email: string;
  created_at: ColumnType<Date, Date, never>;
  expires_at: Date;
  used: ColumnType<boolean, boolean | undefined>;
}

/** The codes that people receive by email and type in. */
export interface EmailedCodesTable {
  user_id: string;
  purpose: "reauthentication" | "sign_in";
  /** A hash of the code, keyed with APP_SECRET. */
  code_hash: string;
  /** How often someone has entered a code, right or wrong. */
  tries: number;
  expires_at: Date;
  /** SHA-256 of the token in the link beside the code, base64url; null without one. */
  link_hash: ColumnType<string | null, string | null | undefined>;
  /** SHA-256 of the cookie of the browser that asked. Only there does the link work. */
  request_hash: ColumnType<string | null, string | null | undefined>;
  /** The page to go to once the link has been used; null if the request for it named none. */
  link_next: ColumnType<string | null, string | null | undefined>;
}

export type MailStatus = "pending" | "sent" | "failed";

export interface OutboxTable {
  /** Also the Idempotency-Key of every delivery attempt. */
  id: string;
  /** Null once the user is deleted. */
  user_id: string | null;
  kind: MailKind;
  /** The hash of the address that gets it, if its kind has a limit. Null in rows that earlier versions wrote. */
  recipient_hash: ColumnType<string | null, string | null | undefined>;
  /** The encrypted email; null once it is sent or failed. */
  payload: string | null;
  status: ColumnType<MailStatus, MailStatus | undefined>;
  attempts: ColumnType<number, number | undefined>;
  /** Null unless it is sent, and for emails that version 0.2 has sent. */
  sent_at: ColumnType<Date | null, Date | null | undefined>;
  /** The start of what the delivery service said about its last refusal, without links. */
  answer: ColumnType<string | null, string | null | undefined>;
  next_attempt_at: Date;
  /** Whether an instance is sending it, until `next_attempt_at`. */
  is_sending: Generated<boolean>;
  /** Whether someone waits for it. Such emails are delivered first. */
  is_awaited: ColumnType<boolean, boolean | undefined>;
  /** Orders the emails that are due. Each pending email of the same user delays it, so that recipients take turns. */
  turn_at: ColumnType<Date, Date | undefined>;
  /** When the link in the email expires. The email is not sent after that. */
  expires_at: Date;
  created_at: Date;
}

export interface MailTables {
  outbox: OutboxTable;
  email_verification_tokens: TokensTable;
  password_reset_tokens: TokensTable;
  /** The links that log in once. */
  login_link_tokens: TokensTable;
  email_change_tokens: AddressTokensTable;
  not_me_tokens: AddressTokensTable;
  factor_reset_tokens: AddressTokensTable;
  factor_reset_stop_tokens: AddressTokensTable;
  emailed_codes: EmailedCodesTable;
}

/** How long the row of an email is kept after it was queued, so that operators can trace its delivery. */
const MAIL_KEPT_SECONDS = 30 * DAY_SECONDS; // none this old is pending: its delivery is abandoned after a day

const AddressLink = z.object({ email: z.string(), used: z.boolean(), createdAt: Time, expiresAt: Time });
const EXPIRED_LINKS = [{ column: "expires_at", keptSeconds: TOKEN_KEPT_SECONDS }] satisfies RowEnd<TokensTable>[];

export const MAIL_TABLES = {
  // A restore cancels the emails that wait, unless it is a move.
  outbox: {
    restored: "always",
    ends: [{ column: "created_at", keptSeconds: MAIL_KEPT_SECONDS }],
    exported: {
      as: "emails",
      entry: z.object({
        id: EntityId,
        kind: z.string(),
        status: z.string(),
        attempts: Amount,
        createdAt: Time,
      }),
      order: ["created_at", "kind"], // those of the same moment have ids in no order
    },
  },
  // the owner of the address can still confirm it
  email_verification_tokens: { restored: "always", ends: EXPIRED_LINKS, exported: { as: "links" } },
  // Invitations can still be accepted. A restore ends the others, unless it is a move.
  password_reset_tokens: { restored: "always", ends: EXPIRED_LINKS, exported: { as: "links" } },
  login_link_tokens: { restored: "always", ends: EXPIRED_LINKS, exported: { as: "links" } },
  email_change_tokens: { restored: "move", ends: EXPIRED_LINKS, exported: { as: "emailChanges", entry: AddressLink } },
  not_me_tokens: { restored: "always", ends: EXPIRED_LINKS, exported: { as: "alertLinks", entry: AddressLink } },
  factor_reset_tokens: {
    restored: "move",
    ends: EXPIRED_LINKS,
    exported: { as: "factorResetLinks", entry: AddressLink },
  },
  factor_reset_stop_tokens: {
    restored: "move",
    ends: EXPIRED_LINKS,
    exported: { as: "factorResetLinks", entry: AddressLink },
  },
  emailed_codes: {
    restored: "move",
    ends: [{ column: "expires_at" }],
    exported: {
      as: "codes",
      entry: z.object({ purpose: z.string(), tries: Amount, expiresAt: Time }),
      key: "purpose",
    },
  },
} as const satisfies TableRules<MailTables>;
