import type { ColumnType, Generated, Kysely, RawBuilder, Selectable } from "kysely";

/** A pool or a transaction, because `Transaction<Database>` is assignable to it. */
export type Db = Kysely<Database>;

/** Returns the SQL for the database's time, `offsetSeconds` from now. */
export type DatabaseTime = (offsetSeconds?: number) => RawBuilder<Date>;

/** The tables of the database, by name. */
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
  /** `<iterations>:<salt_base64>:<hash_base64>`; null for users who signed up through the identity provider. */
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
  /** SHA-256 of the session token, base64url. Only the cookie contains the token itself. */
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

/** An example table from the specification. Nothing reads it yet. */
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
  /** Also the Idempotency-Key of every delivery attempt. */
  id: string;
  /** Null once the user is deleted. */
  user_id: string | null;
  kind: MailKind;
  /** The encrypted email; null once it is sent or failed. */
  payload: string | null;
  status: ColumnType<MailStatus, MailStatus | undefined>;
  attempts: ColumnType<number, number | undefined>;
  next_attempt_at: Date;
  /** When the link in the email expires. The email is not sent after that. */
  expires_at: Date;
  created_at: Date;
}

export interface RateLimitsTable {
  policy: string;
  /** `address:<client address>` or `user:<id>`. */
  client: string;
  /** The number of requests in the current window, including refused ones. */
  requests: number;
  window_ends_at: Date;
}

export interface SubmissionsTable {
  /** SHA-256 of the digest of the submitted form. The digest itself is part of the key that decrypts the outcome. */
  id: string;
  /** The encrypted outcome; null while the submission is running. */
  outcome: string | null;
  /** When the claim expires. Once there is an outcome, when the outcome expires. */
  expires_at: Date;
}

export type UserRow = Selectable<UsersTable>;
