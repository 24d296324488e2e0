import type { ColumnType, Generated, Kysely, Selectable } from "kysely";

/** A pool or a transaction: `Transaction<Database>` fits here too. */
export type Db = Kysely<Database>;

/** Every table of the database, by name. */
export interface Database {
  users: UsersTable;
  sessions: SessionsTable;
  email_verification_tokens: TokensTable;
  password_reset_tokens: TokensTable;
  posts: PostsTable;
  outbox: OutboxTable;
  rate_limits: RateLimitsTable;
  submissions: SubmissionsTable;
}

export type Provider = "email" | "idp";

export interface UsersTable {
  id: string;
  email: string;
  name: string;
  /** `<iterations>:<salt_base64>:<hash_base64>`; null for those who came through the identity provider. */
  password_hash: string | null;
  provider: ColumnType<Provider, Provider | undefined>;
  idp_id: string | null;
  avatar: string | null;
  bio: ColumnType<string, string | undefined>;
  location: ColumnType<string, string | undefined>;
  website: ColumnType<string, string | undefined>;
  email_verified: ColumnType<boolean, boolean | undefined>;
  created_at: Date;
  updated_at: Date;
}

export interface SessionsTable {
  /** SHA-256 of the session token, base64url: the token itself is only in the cookie. */
  id: string;
  user_id: string;
  created_at: ColumnType<Date, Date, never>;
  expires_at: Date;
}

export interface TokensTable {
  id: string;
  user_id: string;
  /** SHA-256 of the token, base64url. */
  token_hash: string;
  expires_at: Date;
  used: ColumnType<boolean, boolean | undefined>;
}

/** The specification's example table; nothing reads it yet. */
export interface PostsTable {
  id: Generated<number>;
  title: string;
  content: string;
  published: ColumnType<boolean, boolean | undefined>;
  author_id: string;
  created_at: Date;
}

export type MailKind = "verification" | "reset" | "invitation";
export type MailStatus = "pending" | "sent" | "failed";

export interface OutboxTable {
  /** Also the Idempotency-Key under which the mail is delivered. */
  id: string;
  user_id: string;
  kind: MailKind;
  /** The mail, encrypted; null once it is sent or failed. */
  payload: string | null;
  status: ColumnType<MailStatus, MailStatus | undefined>;
  attempts: ColumnType<number, number | undefined>;
  next_attempt_at: Date;
  /** When the link in the mail ends: later it is not sent any more. */
  expires_at: Date;
  created_at: Date;
}

export interface RateLimitsTable {
  policy: string;
  /** `address:<client address>` or `user:<id>`. */
  client: string;
  /** Those of the current window, refused ones included. */
  requests: number;
  window_ends_at: Date;
}

export interface SubmissionsTable {
  /**
   * SHA-256 of the digest of the form as it was submitted, with the number that its page gave it. The digest itself is
   * part of the key that opens the outcome.
   */
  id: string;
  /** What came of it, encrypted; null as long as it is being worked on. */
  outcome: string | null;
  /** Of the claim, and then of the outcome. */
  expires_at: Date;
}

export type UserRow = Selectable<UsersTable>;
