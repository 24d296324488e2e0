import type { ColumnType, Generated, JSONColumnType, Kysely, RawBuilder, Selectable } from "kysely";
import type { MailKind } from "../lib/mail/kinds.ts";
import type { EventKind, WebhookKind } from "../lib/schemas/event_kinds.ts";
import type { OptionalTexts } from "../lib/schemas/profile_rules.ts";
import type { Scope } from "../lib/schemas/scopes.ts";

/** A pool or a transaction, because `Transaction<Database>` is assignable to it. */
export type Db = Kysely<Database>;

/** Returns the SQL for the database's time, `offsetSeconds` from now. */
export type DatabaseTime = (offsetSeconds?: number) => RawBuilder<Date>;

/** Runs work that takes longer than a request may: on a connection of its own, without time limits. */
export type LongWork = <Result>(work: (db: Db) => Promise<Result>) => Promise<Result>;

/** The tables of the database, by name. */
export interface Database {
  users: UsersTable;
  sessions: SessionsTable;
  email_verification_tokens: TokensTable;
  password_reset_tokens: TokensTable;
  email_change_tokens: AddressTokensTable;
  not_me_tokens: AddressTokensTable;
  factor_reset_tokens: AddressTokensTable;
  factor_reset_stop_tokens: AddressTokensTable;
  factor_resets: FactorResetsTable;
  totp_secrets: TotpSecretsTable;
  recovery_codes: RecoveryCodesTable;
  second_step_challenges: SecondStepChallengesTable;
  api_tokens: ApiTokensTable;
  posts: PostsTable;
  outbox: OutboxTable;
  rate_limits: RateLimitsTable;
  submissions: SubmissionsTable;
  devices: DevicesTable;
  events: EventsTable;
  identities: IdentitiesTable;
  provider_attempts: ProviderAttemptsTable;
  emailed_codes: EmailedCodesTable;
  passkeys: PasskeysTable;
  spent_challenges: SpentChallengesTable;
  uploads: UploadsTable;
  store_sweep: StoreSweepTable;
  signing_keys: SigningKeysTable;
  instances: InstancesTable;
  audit_position: AuditPositionTable;
  deleted_accounts: DeletedAccountsTable;
  search_terms: SearchTermsTable;
  webhooks: WebhooksTable;
  webhook_secrets: WebhookSecretsTable;
  webhook_deliveries: WebhookDeliveriesTable;
  consents: ConsentsTable;
  grants: GrantsTable;
  logout_deliveries: LogoutDeliveriesTable;
  missing_clients: MissingClientsTable;
}

export type Provider = "email" | "idp";
/** What a user may do: administrators may also manage other users. */
export type Role = "user" | "admin";

export interface UsersTable extends Record<keyof OptionalTexts, ColumnType<string, string | undefined>> {
  id: string;
  email: string;
  name: string;
  /**
   * `<iterations>:<salt_base64>:<hash_base64>`; null for accounts without a password. Until the first login after an import,
   * the hash of another system: `$<algorithm>$<costs>$<salt_base64>$<hash_base64>`.
   */
  password_hash: string | null;
  provider: ColumnType<Provider, Provider | undefined>;
  /** The subject at the default provider. A trigger copies it into the table `identities`. */
  idp_id: string | null;
  /** When that identity was added to the account; null for accounts that were created with it. */
  idp_linked_at: ColumnType<Date | null, Date | null | undefined>;
  avatar: string | null;
  email_verified: ColumnType<boolean, boolean | undefined>;
  role: ColumnType<Role, Role | undefined>;
  /** The language that the person has chosen, as a language tag; null without a choice. */
  language: ColumnType<string | null, string | null | undefined>;
  /** The language of the request that created the account; null if it asked for none. */
  registration_language: ColumnType<string | null, string | null | undefined>;
  /** Whether others may see the address, where PUBLIC_USER_EMAILS allows it. */
  email_visible: ColumnType<boolean, boolean | undefined>;
  /** When a closing account is deleted; null for all others. */
  deletion_due_at: ColumnType<Date | null, Date | null | undefined>;
  /** When the account was suspended; null for all others. */
  suspended_at: ColumnType<Date | null, Date | null | undefined>;
  /** Why, in the words of the operator. */
  suspension_reason: ColumnType<string | null, string | null | undefined>;
  created_at: Date;
  updated_at: Date;
  /** When the lease of the instance that deletes the account expires; null until the deletion has begun. */
  deletion_lease_ends_at: ColumnType<Date | null, Date | null | undefined>;
}

export interface SessionsTable {
  /** SHA-256 of the session token, base64url. Only the cookie contains the token itself. */
  id: string;
  user_id: string;
  /** Names the session in lists, events and code. It stays the same when the session gets a new token. */
  public_id: ColumnType<string, string, never>;
  created_at: ColumnType<Date, Date, never>;
  expires_at: Date;
  /** Accurate to five minutes. */
  last_seen_at: Date;
  /** The address of the client that opened the session; null only in sessions that are older than version 0.1.0. */
  client_address: string | null;
  user_agent: string | null;
  method: ColumnType<SignInMethod, SignInMethod, never>;
  /** When the person last proved who they are. */
  authenticated_at: Date;
  /** The second proof that the person has given in this session; null if there was none. */
  second_factor: ColumnType<SecondProof | null, SecondProof | null | undefined>;
}

/** A second proof in a session. A passkey is one where the session was opened in another way. */
export type SecondProof = "totp" | "recovery_code" | "passkey";

/** How a session was opened. A registration counts as password. */
export type SignInMethod = "password" | "idp" | "passkey" | "invitation" | "code";

/** The browsers in which a user has signed in. */
export interface DevicesTable {
  user_id: string;
  /** SHA-256 of the token in the browser, base64url. */
  token_hash: string;
  created_at: Date;
  expires_at: Date;
}

export interface EventsTable {
  /** A UUID version 7, so that ids are ordered by time. */
  id: string;
  /** The account that the event is about; null once it is deleted. */
  user_id: string | null;
  /** The user who caused the event; null if unknown, or once that user is deleted. */
  actor_id: string | null;
  /** Who caused the event, if it was no user. */
  actor: ColumnType<"command line" | null, "command line" | null | undefined>;
  kind: EventKind;
  /** The session in which the event happened. */
  session_public_id: string | null;
  client_address: string | null;
  /** The id that the log lines of the request have. */
  request_id: ColumnType<string | null, string | null | undefined>;
  /** The User-Agent header, at most 512 characters. Pages turn it into a name. */
  device: string | null;
  details: JSONColumnType<EventDetails>;
  created_at: Date;
  /** The transaction that wrote the row, and the order of the audit log; null in rows from before version 0.2. */
  transaction_id: Generated<string>;
}

/** The last event in the audit log. The table has one row. */
export interface AuditPositionTable {
  transaction_id: string;
  event_id: string;
}

/** Facts about an event. They never contain secrets. */
export type EventDetails = Record<string, string | boolean | string[]>;

/** The people of identity providers who can log in to an account. A trigger writes those of the default provider. */
export interface IdentitiesTable {
  id: Generated<string>;
  user_id: string;
  /** The key of the provider. */
  provider: string;
  /** The issuer and its subject. */
  subject: string;
  /** The address at the provider; null if not known. */
  email: string | null;
  linked_at: Date;
}

/** Attempts to sign in at an identity provider that have not ended. */
export interface ProviderAttemptsTable {
  /** SHA-256 of the state, base64url. */
  id: string;
  purpose: "sign_in" | "link";
  /** The key of the provider. */
  provider: ColumnType<string, string | undefined>;
  /** The user who started the attempt; null for a sign-in. */
  user_id: string | null;
  /** The public ids of the sessions of the browser that started the attempt. */
  session_ids: string[];
  /** The page to go to after the sign-in. */
  next: string | null;
  /** The subject whom the provider has signed in, and their address there. Only while a link waits for its confirmation. */
  subject: ColumnType<string | null, string | null | undefined>;
  email: ColumnType<string | null, string | null | undefined>;
  expires_at: Date;
}

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

/** The API tokens of programs that act for a user. */
export interface ApiTokensTable {
  id: string;
  user_id: string;
  name: string;
  /** SHA-256 of the token, base64url. */
  token_hash: string;
  /** The start of the token, by which its owner recognizes it. */
  hint: string;
  scopes: Scope[];
  created_at: ColumnType<Date, Date, never>;
  expires_at: Date;
  /** Accurate to five minutes; null until the first use. */
  last_used_at: ColumnType<Date | null, Date | null | undefined>;
  /** When an email announces the end; null once it is queued, and for tokens that are too short-lived for it. */
  remind_at: Date | null;
}

/** An example table, which Foyer never writes. Exports of accounts contain its rows, and they go with their author. */
export interface PostsTable {
  id: Generated<number>;
  title: string;
  content: string;
  published: ColumnType<boolean, boolean | undefined>;
  author_id: string;
  created_at: Date;
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
}

/** The passkeys of users. They hold no secret: the private key never leaves the person's device. */
export interface PasskeysTable {
  id: string;
  user_id: string;
  /** How the authenticator names the passkey, base64url. */
  credential_id: string;
  /** A COSE key, base64url. */
  public_key: string;
  /** How often the passkey has been used, as its authenticator counts. Many authenticators always send 0. */
  counter: string | number;
  /** How browsers can reach the authenticator, such as "usb" or "internal". */
  transports: string[];
  name: string;
  /** Whether the authenticator has copied the passkey to another device or to a cloud. */
  backed_up: boolean;
  created_at: ColumnType<Date, Date, never>;
  last_used_at: Date | null;
}

/** The challenges of passkeys that have been answered, until they expire. */
export interface SpentChallengesTable {
  /** The signature of the challenge, base64url. */
  id: string;
  expires_at: Date;
}

/** The authenticator apps, at most one for each user. */
export interface TotpSecretsTable {
  user_id: string;
  /** The encrypted secret that is in use; null until the first one is confirmed. */
  secret: ColumnType<string | null, string | null | undefined>;
  /** The time step of the last code that was accepted. Codes of this step and earlier ones are spent. */
  last_step: ColumnType<number, number | undefined>;
  enabled_at: ColumnType<Date | null, Date | null | undefined>;
  /** The encrypted secret that waits for its first code. It replaces the one in use. */
  pending_secret: string | null;
  pending_until: Date | null;
}

/** The recovery codes that have not been used. */
export interface RecoveryCodesTable {
  user_id: string;
  /** A slow hash. All codes of a user share one salt, so that an attempt costs one hash. */
  code_hash: string;
  created_at: ColumnType<Date, Date, never>;
}

/** Sign-ins whose first proof was right, and that wait for the second one. */
export interface SecondStepChallengesTable {
  /** SHA-256 of the token in the browser, base64url. */
  id: string;
  user_id: string;
  /** The method of the session to open. */
  method: SignInMethod;
  /** The public ids of the sessions that the browser held at the first step. */
  session_ids: string[];
  /** How often someone has entered a code, right or wrong. */
  tries: ColumnType<number, number | undefined, number>;
  expires_at: Date;
}

/** Second factors that will be removed, because their owner has lost them. */
export interface FactorResetsTable {
  user_id: string;
  due_at: Date;
  /** When the next email is due, or the removal. */
  next_act_at: Date;
  /** The client that started the wait. */
  client_address: string;
  user_agent: string | null;
}

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
  /** Null unless it is sent, and for emails that version 0.2 has sent. */
  sent_at: ColumnType<Date | null, Date | null | undefined>;
  /** The start of what the delivery service said about its last refusal, without links. */
  answer: ColumnType<string | null, string | null | undefined>;
  next_attempt_at: Date;
  /** Whether someone waits for it. Such emails are delivered first. */
  is_awaited: ColumnType<boolean, boolean | undefined>;
  /** Orders the emails that are due. Each pending email of the same user delays it, so that recipients take turns. */
  turn_at: ColumnType<Date, Date | undefined>;
  /** When the link in the email expires. The email is not sent after that. */
  expires_at: Date;
  created_at: Date;
}

export interface RateLimitsTable {
  policy: string;
  /**
   * `address:<client address>`, `user:<id>`, `token:<id>`, `email:<SHA-256 of the address, base64url>`, or `code:<hash>` for
   * an emailed code and a client address.
   */
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
  /** SHA-256 of the key and the content, base64; null if every content is the same submission. */
  content_hash: ColumnType<string | null, string | null | undefined>;
  /** When the claim expires. Once there is an outcome, when the outcome expires. */
  expires_at: Date;
}

export type UploadPurpose = "file" | "avatar" | "post";
/** lib/uploads/README.md has a diagram. */
export type UploadState = "pending" | "stored" | "discarded" | "removing";

/** One row for each stored object; the variants of an image belong to its row. */
export interface UploadsTable {
  id: string;
  /** Null once the user or the object is deleted. The sweep deletes what is left. */
  user_id: string | null;
  key: string;
  filename: string;
  content_type: string;
  /** The size of an image without its smaller copies; otherwise the size that was declared, or null. */
  declared_bytes: string | number | null;
  /** What counts against the quota: the reserved space while the object is pending, then its size with all variants. */
  bytes: string | number;
  /** The entity tag of the content that has been checked; null until then. The content must not change afterward. */
  etag: string | null;
  purpose: UploadPurpose;
  /** The database still has the column `status`, which older releases read and write. A trigger keeps it in step. */
  state: UploadState;
  /** When the presigned URL expires. */
  expires_at: Date;
  /** When the sweep compares the row with its object; null if it need not. */
  check_at: Date | null;
  /** When its owner discarded or deleted it; null for a refused upload, which its owner still sees. */
  deleted_at: Date | null;
  /** The number that links to a private file contain. Raising it revokes them. */
  link_number: Generated<number>;
  created_at: Date;
}

/** The progress of the sweep that lists the store, in one row. */
export interface StoreSweepTable {
  id: Generated<boolean>;
  /** Objects that are not older than this have a row. */
  rows_since: Generated<Date>;
  /** When the next batch is due. While a batch is running, when its lease expires. */
  next_at: Date;
  /** The last key of the previous batch; empty at the start of the list. */
  after_key: string;
  /** Whether an operator has allowed the next sweep to delete most objects. */
  may_delete_most: Generated<boolean>;
}

/** What people have allowed apps, one row for each person and app. */
export interface ConsentsTable {
  id: string;
  user_id: string;
  /** The client in CLIENTS_FILE. The row stays if the client leaves the file. */
  client_id: string;
  /** Everything that the person has agreed to so far. */
  scopes: string[];
  resources: string[];
  created_at: ColumnType<Date, Date, never>;
  /** Accurate to five minutes. */
  last_used_at: Date;
}

/** The grants of apps. Each begins as an authorization code. Grants that end are deleted. */
export interface GrantsTable {
  id: string;
  consent_id: string;
  user_id: string;
  client_id: string;
  /** The public id of the session in which the person agreed. */
  session_public_id: string;
  /** Whether the grant outlives the session. */
  is_offline: boolean;
  scopes: string[];
  /** The API that the access tokens are for; null for this service. */
  resource: string | null;
  redirect_uri: string;
  /** SHA-256 of the code, base64url. */
  code_hash: string | null;
  code_challenge: string | null;
  nonce: string | null;
  code_expires_at: Date;
  /** When the code was exchanged; null until then. */
  code_spent_at: ColumnType<Date | null, Date | null | undefined>;
  /** When the person last proved who they are before they agreed, and how. */
  auth_time: Date;
  acr: string;
  amr: string[];
  /** The encrypted key of the refresh tokens; null if the app gets none. */
  refresh_key: ColumnType<string | null, string | null | undefined>;
  /** The number of the refresh token that is valid, and when it became so. */
  generation: ColumnType<number, number | undefined>;
  generation_at: Date;
  created_at: ColumnType<Date, Date, never>;
  last_used_at: Date;
  /** When an offline grant expires; null for grants that end with the session. */
  expires_at: Date | null;
}

/** What apps must hear about sessions that have ended. Rows are deleted when an app has accepted or refused them. */
export interface LogoutDeliveriesTable {
  /** The same in every token that is sent for it. */
  id: string;
  client_id: string;
  /** The user, who may have been deleted. */
  subject: string;
  session_public_id: string;
  attempts: Generated<number>;
  /** When the next attempt is due. While one is running, when its lease expires. */
  next_attempt_at: Date;
  queued_at: Date;
}

/** The apps that people have allowed something and that are missing from CLIENTS_FILE. */
export interface MissingClientsTable {
  client_id: string;
  missing_since: Date;
}

/** The processes that serve with this database. */
export interface InstancesTable {
  id: string;
  store_id: string;
  seen_at: Date;
}

/** The accounts that were deleted lately, so that a restored backup does not bring them back. */
export interface DeletedAccountsTable {
  /** SHA-256 of the id of the user, base64url. */
  id_hash: string;
  deleted_at: Date;
}

/** By what a user is found. A trigger of `users` writes it. */
export interface SearchTermsTable {
  user_id: string;
  /** The words of the name, without case and accents, and the address after an "@". */
  terms: string;
}

/** Where events are sent. */
export interface WebhooksTable {
  id: string;
  /** The admin who added it; null once they are deleted. */
  created_by: string | null;
  /** Empty once it is deleted. */
  url: string;
  /** The kinds of events that it gets. */
  kinds: string[];
  /** How many attempts have failed since the last success. */
  failures: ColumnType<number, number | undefined>;
  /** When the first of them failed. */
  failing_since: ColumnType<Date | null, Date | null | undefined>;
  /** After a failure, nothing is sent until then. */
  rests_until: ColumnType<Date | null, Date | null | undefined>;
  disabled_at: ColumnType<Date | null, Date | null | undefined>;
  disabled_because: ColumnType<DisableReason | null, DisableReason | null | undefined>;
  /** The row is deleted after its deliveries. */
  deleted_at: ColumnType<Date | null, Date | null | undefined>;
  created_at: ColumnType<Date, Date, never>;
}

/** Why a webhook gets nothing more: its receiver said that it is gone, or did not accept anything for five days. */
export type DisableReason = "gone" | "failing";

/** The secrets that sign what a webhook gets. */
export interface WebhookSecretsTable {
  id: string;
  webhook_id: string;
  /** The encrypted secret. */
  secret: string;
  /** Until then it signs beside its successor; null for the current one. */
  expires_at: Date | null;
}

/** Events to send, and those that have been sent. A trigger of `events` adds them. */
export interface WebhookDeliveriesTable {
  id: string;
  webhook_id: string;
  /** The `webhook-id` of every attempt. */
  event_id: string;
  kind: WebhookKind;
  /** What the event was about, as it was recorded. Emptied after the user is deleted, except in `user.deleted`. */
  user_id: string | null;
  actor_id: string | null;
  details: JSONColumnType<EventDetails>;
  happened_at: Date;
  status: ColumnType<MailStatus, MailStatus | undefined>;
  attempts: ColumnType<number, number | undefined>;
  next_attempt_at: Date;
  /** When it was queued, or last repeated by an admin. */
  queued_at: Date;
  /** When it was delivered or abandoned. */
  ended_at: ColumnType<Date | null, Date | null | undefined>;
  /** The status of the last response; null without one. */
  response_status: ColumnType<number | null, number | null | undefined>;
  /** Why the last attempt failed. */
  failure: ColumnType<DeliveryFailure | null, DeliveryFailure | null | undefined>;
}

/** Why an attempt failed: the name of the host, its address, the connection, the certificate, the time or the status. */
export type DeliveryFailure = "name" | "address" | "connection" | "certificate" | "timeout" | "status" | "secret";

/** The keys that sign access tokens. */
export interface SigningKeysTable {
  /** The `kid` in tokens. */
  id: string;
  public_key: JSONColumnType<PublicKey>;
  /** The encrypted key. */
  private_key: string;
  /** From then on it signs, until a newer key does. */
  signs_from: Date;
  /** Until then it is published. */
  expires_at: Date;
}

/** A point on the curve P-256, or an RSA modulus and exponent. Source: RFC 7518, 6.2.1 and 6.3.1. */
export type PublicKey =
  | { kty: "EC"; crv: "P-256"; x: string; y: string }
  | { kty: "RSA"; n: string; e: string };

export type UserRow = Selectable<UsersTable>;
