import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "../duration.ts";

/** How many emails of one kind a recipient may get. */
export interface MailLimit {
  quota: number;
  windowSeconds: number;
}

/**
 * Who can cause an email:
 * - `stranger`: anyone, to an address that is not theirs, or to the owner of an account of which they know the
 *   password.
 * - `account`: someone with a session, a link, a code or a token of the account.
 * - `operator`: an admin, or a command.
 * - `service`: the passing of time.
 */
export type MailCause = "stranger" | "account" | "operator" | "service";

/** The tables of the emailed single-use tokens that store no address. */
export type EmailedTokenTable = "email_verification_tokens" | "password_reset_tokens" | "login_link_tokens";

/** The tables of the single-use tokens that store the address they were emailed to. */
export type AddressTokenTable =
  | "email_change_tokens"
  | "not_me_tokens"
  | "factor_reset_tokens"
  | "factor_reset_stop_tokens";

/** All tables of emailed tokens. */
export const TOKEN_TABLES: (EmailedTokenTable | AddressTokenTable)[] = [
  "email_verification_tokens",
  "password_reset_tokens",
  "login_link_tokens",
  "email_change_tokens",
  "not_me_tokens",
  "factor_reset_tokens",
  "factor_reset_stop_tokens",
];

interface MailDeclaration {
  causedBy: MailCause;
  /** How many a recipient may get. By default LIMIT_MAIL_ADDRESS of a kind that strangers can cause. */
  limit?: MailLimit;
  /** The facts that its texts state, in an example for previews. Those of alerts are in addition to when and where. */
  example?: object;
  /** The page that the link opens. */
  page?: string;
  /** The page that the first button opens, if not the one above. The link with a token then comes below. */
  buttonPage?: string;
  /** The table of the single-use token in the link. */
  tokens?: EmailedTokenTable | AddressTokenTable;
  /** Parameters of the link in addition to the token. */
  parameters?: Record<string, string>;
  /** The purpose of the code that the email carries. */
  code?: "reauthentication" | "sign_in";
  /** How long the link or the code works, in seconds, or the setting that says so. If missing, the sender says so. */
  lifetime?: number | "verifyTokenTtlSeconds" | "resetTokenTtlSeconds" | "invitationTtlSeconds";
  /** Whether sending one voids the earlier links with tokens of the same table. */
  replacesEarlier?: true;
  /** Whether nobody waits for it. It is delivered after the emails that people wait for. */
  isReport?: true;
}

const ONE_A_DAY: MailLimit = { quota: 1, windowSeconds: DAY_SECONDS };
const THREE_AN_HOUR: MailLimit = { quota: 3, windowSeconds: HOUR_SECONDS };
/** How long a code works. */
export const CODE_SECONDS = 10 * MINUTE_SECONDS;
const ALERT = {
  causedBy: "account",
  page: "/not-me",
  tokens: "not_me_tokens",
  lifetime: 7 * DAY_SECONDS,
  isReport: true,
} as const;

/** Returns the example. Its type is that of the facts; in the record below, only these values would be allowed. */
function facts<Facts extends object>(example: Facts): Facts {
  return example;
}

/** Every email. Its texts are in the catalogs of lib/texts, under the same name. */
const MAILS = {
  verification: {
    causedBy: "stranger",
    page: "/verify-email",
    tokens: "email_verification_tokens",
    lifetime: "verifyTokenTtlSeconds",
  },
  reset: {
    causedBy: "stranger",
    page: "/reset-password",
    tokens: "password_reset_tokens",
    lifetime: "resetTokenTtlSeconds",
    replacesEarlier: true,
  },
  // To the address that the first admin has entered. The link works only for a person who is logged in as this admin.
  first_admin: {
    causedBy: "operator",
    page: "/verify-email",
    tokens: "email_verification_tokens",
    lifetime: "verifyTokenTtlSeconds",
  },
  invitation: {
    causedBy: "stranger",
    page: "/reset-password",
    tokens: "password_reset_tokens",
    parameters: { invitation: "true" },
    lifetime: "invitationTtlSeconds",
    // The names that people have entered: of the account, and of who invited its owner.
    example: facts({ name: "Tomás", inviter: "Grace Hopper" }),
  },
  // The same where PASSWORDS gives no one a new password.
  invitation_link: {
    causedBy: "stranger",
    page: "/login-once",
    tokens: "login_link_tokens",
    lifetime: "invitationTtlSeconds",
    replacesEarlier: true,
    example: facts({ name: "Tomás", inviter: "Grace Hopper" }),
  },
  // The same where SIGN_IN_DOMAINS demands a provider. The page leads there.
  invitation_provider: {
    causedBy: "stranger",
    page: "/login-once",
    tokens: "login_link_tokens",
    lifetime: "invitationTtlSeconds",
    replacesEarlier: true,
    example: facts({ name: "Tomás", inviter: "Grace Hopper", provider: "Contoso" }),
  },
  recovery: {
    causedBy: "account",
    page: "/reset-password",
    tokens: "password_reset_tokens",
    lifetime: "resetTokenTtlSeconds",
  },
  recovery_link: {
    causedBy: "account",
    page: "/login-once",
    tokens: "login_link_tokens",
    lifetime: "resetTokenTtlSeconds",
  },
  // In place of a reset that an operator sends, where PASSWORDS gives the account no password.
  login_link: {
    causedBy: "operator",
    limit: THREE_AN_HOUR,
    page: "/login-once",
    tokens: "login_link_tokens",
    lifetime: "resetTokenTtlSeconds",
    replacesEarlier: true,
  },
  email_change: {
    causedBy: "stranger",
    page: "/confirm-email",
    tokens: "email_change_tokens",
    lifetime: DAY_SECONDS,
    replacesEarlier: true,
  },
  email_in_use: { causedBy: "stranger", page: "/login", lifetime: DAY_SECONDS },
  factor_reset: {
    causedBy: "stranger",
    page: "/factor-reset",
    tokens: "factor_reset_tokens",
    lifetime: HOUR_SECONDS,
  },
  factor_reset_waiting: {
    causedBy: "account",
    page: "/stop-factor-reset",
    tokens: "factor_reset_stop_tokens",
    isReport: true,
    example: facts({ dueAt: new Date("2026-03-08T18:04:00Z") }),
  },
  many_wrong_passwords: {
    causedBy: "stranger",
    page: "/forgot-password",
    lifetime: DAY_SECONDS,
    limit: ONE_A_DAY,
    isReport: true,
  },
  token_expiring: {
    causedBy: "service",
    page: "/settings/tokens",
    isReport: true,
    example: facts({ name: "Nightly export", hint: "foyer_…8KoR", expiresAt: new Date("2026-03-08T18:04:00Z") }),
  },
  second_factor_due: {
    causedBy: "service",
    page: "/settings/sign-in-methods/required",
    isReport: true,
    example: facts({ dueAt: new Date("2026-03-08T18:04:00Z") }),
  },
  code: { causedBy: "account", code: "reauthentication", lifetime: CODE_SECONDS },
  // The link beside the code works in the browser that asked for both.
  sign_in_code: { causedBy: "stranger", page: "/login-link", code: "sign_in", lifetime: CODE_SECONDS },
  closed_by_operator: {
    causedBy: "operator",
    page: "/login?next=%2Fkeep-account",
    lifetime: DAY_SECONDS,
    isReport: true,
    example: facts({ dueAt: new Date("2026-03-15T18:04:00Z") }),
  },
  kept_by_operator: { causedBy: "operator", page: "/login", lifetime: DAY_SECONDS, isReport: true },
  deletion: { causedBy: "service", lifetime: DAY_SECONDS, isReport: true },
  deleted_by_operator: { causedBy: "operator", lifetime: DAY_SECONDS, isReport: true },
  webhook_disabled: {
    causedBy: "service",
    page: "/admin/webhooks",
    lifetime: DAY_SECONDS,
    isReport: true,
    // The host of the receiver. The rest of the address may hold a secret.
    example: facts({ host: "hooks.example.com" }),
  },
  // The method of the session, or the name of its identity provider; until when it is trusted, if it is.
  new_device: {
    ...ALERT,
    example: facts<{ method: string; trustedUntil?: Date }>({
      method: "password",
      trustedUntil: new Date("2026-03-31T18:04:00Z"),
    }),
  },
  password_changed: ALERT,
  email_change_requested: { ...ALERT, example: facts({ newEmail: "tomas.new@example.com" }) },
  email_changed: { ...ALERT, example: facts({ newEmail: "tomas.new@example.com" }) },
  passkey_added: ALERT,
  passkey_removed: ALERT,
  account_closing: {
    ...ALERT,
    buttonPage: "/login?next=%2Fkeep-account",
    example: facts({ dueAt: new Date("2026-03-15T18:04:00Z") }),
  },
  totp_enabled: ALERT,
  totp_disabled: ALERT,
  totp_removed_by_operator: { ...ALERT, causedBy: "operator" },
  recovery_code_used: ALERT,
  // The first proof, which was right.
  many_wrong_codes: { ...ALERT, causedBy: "stranger", example: facts({ method: "password" }) },
  recovery_codes_created: ALERT,
  identity_linked: { ...ALERT, example: facts({ provider: "Google" }) },
  token_created: ALERT,
  app_authorized: { ...ALERT, example: facts({ app: "Harbor Wiki" }) },
  // To all admins. `change`: created, changed or deleted.
  client_changed: { ...ALERT, example: facts({ app: "Harbor Wiki", change: "created" }) },
  grant_reused: { ...ALERT, example: facts({ app: "Harbor Wiki" }) },
} as const satisfies Record<string, MailDeclaration>;

/** The name of an email, in the outbox and in the catalogs of texts. */
export type MailKind = keyof typeof MAILS;
/** The names of all emails. */
export const MAIL_KINDS = Object.keys(MAILS) as MailKind[];

/** The emails that report an act, and let its owner undo it. */
export type AlertKind = {
  [Kind in MailKind]: typeof MAILS[Kind] extends { tokens: "not_me_tokens" } ? Kind : never;
}[MailKind];

/** The names of all alerts. */
export const ALERT_KINDS = MAIL_KINDS.filter(isAlert);

/** Whether an email is an alert. */
export function isAlert(kind: MailKind): kind is AlertKind {
  return mailDeclaration(kind).tokens === "not_me_tokens";
}

/** The act that an alert reports. */
export interface AlertFacts {
  happenedAt: Date;
  device: string;
}

/** The emails that declare an example. */
type StatingKind = { [Kind in MailKind]: typeof MAILS[Kind] extends { example: object } ? Kind : never }[MailKind];

/** What some alerts report in addition. */
export type AlertDetails = { [Kind in StatingKind & AlertKind]: typeof MAILS[Kind]["example"] };

/** The facts that the texts of some emails state. */
export type MailFacts =
  & { [Kind in Exclude<StatingKind, AlertKind>]: typeof MAILS[Kind]["example"] }
  & { [Kind in AlertKind]: Kind extends keyof AlertDetails ? AlertFacts & AlertDetails[Kind] : AlertFacts };

/** Returns what an email carries, and who can cause it. */
export function mailDeclaration(kind: MailKind): MailDeclaration {
  return MAILS[kind];
}

/** Returns the emails that a new one of this kind replaces: those whose link or code no longer works. */
export function replacedMails(kind: MailKind): MailKind[] {
  const { tokens, code, replacesEarlier } = mailDeclaration(kind);
  if (code !== undefined) return mailsWith({ code });
  return replacesEarlier ? mailsWith({ tokens }) : [];
}

/** Returns the emails that carry a token of this table, or a code for this purpose. */
export function mailsWith(carried: Pick<MailDeclaration, "tokens" | "code">): MailKind[] {
  return MAIL_KINDS.filter((kind) => {
    const { tokens, code } = mailDeclaration(kind);
    return carried.tokens === undefined ? code === carried.code : tokens === carried.tokens;
  });
}
