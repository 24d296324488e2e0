import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "../duration.ts";

/** How many emails of one kind an account may get. */
interface MailLimit {
  quota: number;
  windowSeconds: number;
}

/** The tables of the emailed single-use tokens that store no address. */
export type EmailedTokenTable = "email_verification_tokens" | "password_reset_tokens";

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
  "email_change_tokens",
  "not_me_tokens",
  "factor_reset_tokens",
  "factor_reset_stop_tokens",
];

interface MailDeclaration {
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
  /** Without one, the sender decides how many there may be. */
  limit?: MailLimit;
  /** Whether sending one voids the earlier links with tokens of the same table. */
  replacesEarlier?: true;
  /** Whether nobody waits for it. It is delivered after the emails that people wait for. */
  isReport?: true;
}

const THREE_AN_HOUR: MailLimit = { quota: 3, windowSeconds: HOUR_SECONDS };
/** How long a code works. */
export const CODE_SECONDS = 10 * MINUTE_SECONDS;
const ALERT = { page: "/not-me", tokens: "not_me_tokens", lifetime: 7 * DAY_SECONDS, isReport: true } as const;

/** Every email. Its texts are in the catalogs of lib/texts, under the same name. */
const MAILS = {
  verification: {
    page: "/verify-email",
    tokens: "email_verification_tokens",
    lifetime: "verifyTokenTtlSeconds",
    limit: THREE_AN_HOUR,
  },
  reset: {
    page: "/reset-password",
    tokens: "password_reset_tokens",
    lifetime: "resetTokenTtlSeconds",
    limit: THREE_AN_HOUR,
    replacesEarlier: true,
  },
  invitation: {
    page: "/reset-password",
    tokens: "password_reset_tokens",
    parameters: { invitation: "true" },
    lifetime: "invitationTtlSeconds",
  },
  recovery: { page: "/reset-password", tokens: "password_reset_tokens", lifetime: "resetTokenTtlSeconds" },
  email_change: { page: "/confirm-email", tokens: "email_change_tokens", lifetime: DAY_SECONDS, replacesEarlier: true },
  email_in_use: { page: "/login", lifetime: DAY_SECONDS, limit: THREE_AN_HOUR },
  factor_reset: { page: "/factor-reset", tokens: "factor_reset_tokens", lifetime: HOUR_SECONDS, limit: THREE_AN_HOUR },
  factor_reset_waiting: { page: "/stop-factor-reset", tokens: "factor_reset_stop_tokens", isReport: true },
  many_wrong_passwords: {
    page: "/forgot-password",
    lifetime: DAY_SECONDS,
    limit: { quota: 1, windowSeconds: DAY_SECONDS },
    isReport: true,
  },
  token_expiring: { page: "/settings/tokens", isReport: true },
  code: { code: "reauthentication", lifetime: CODE_SECONDS },
  // Each code allows 25 guesses, so this also limits how many codes someone can guess in an hour.
  sign_in_code: { code: "sign_in", lifetime: CODE_SECONDS, limit: { quota: 10, windowSeconds: HOUR_SECONDS } },
  closed_by_operator: { page: "/login?next=%2Fkeep-account", lifetime: DAY_SECONDS, isReport: true },
  deletion: { lifetime: DAY_SECONDS, isReport: true },
  webhook_disabled: { page: "/admin/webhooks", lifetime: DAY_SECONDS, isReport: true },
  new_device: ALERT,
  password_changed: ALERT,
  email_change_requested: ALERT,
  email_changed: ALERT,
  passkey_added: ALERT,
  passkey_removed: ALERT,
  account_closing: { ...ALERT, buttonPage: "/login?next=%2Fkeep-account" },
  totp_enabled: ALERT,
  totp_disabled: ALERT,
  recovery_code_used: ALERT,
  recovery_codes_created: ALERT,
  identity_linked: ALERT,
  token_created: ALERT,
  app_authorized: ALERT,
  grant_reused: ALERT,
} as const satisfies Record<string, MailDeclaration>;

/** The name of an email. */
export type MailKind = keyof typeof MAILS;
/** The emails that report an act, and let its owner undo it. */
export type AlertKind = { [Kind in MailKind]: typeof MAILS[Kind] extends typeof ALERT ? Kind : never }[MailKind];

/** The names of all emails. */
export const MAIL_KINDS = Object.keys(MAILS) as MailKind[];

/** The names of all alerts. */
export const ALERT_KINDS = mailsWith({ tokens: "not_me_tokens" }) as AlertKind[];

/** The act that an alert reports. */
export interface AlertFacts {
  happenedAt: Date;
  device: string;
  /** Set if this is the last alert of its kind until then, however often the act is repeated. */
  silentUntil?: Date;
}

/** What some alerts report in addition. */
export interface AlertDetails {
  /** The method of the session, or the name of its identity provider. */
  new_device: { method: string };
  email_change_requested: { newEmail: string };
  email_changed: { newEmail: string };
  /** The name of the identity provider. */
  identity_linked: { provider: string };
  account_closing: { dueAt: Date };
  /** The name of the app. */
  app_authorized: { app: string };
  grant_reused: { app: string };
}

/** The facts that the texts of some emails state. */
export interface MailFacts extends Record<Exclude<AlertKind, keyof AlertDetails>, AlertFacts>, DetailedAlerts {
  /** The names that people have entered: of the account, and of who invited its owner. */
  invitation: { name: string; inviter: string };
  factor_reset_waiting: { dueAt: Date };
  closed_by_operator: { dueAt: Date };
  /** The host of the receiver. The rest of the address may hold a secret. */
  webhook_disabled: { host: string };
  token_expiring: { name: string; hint: string; expiresAt: Date };
}

type DetailedAlerts = { [Kind in keyof AlertDetails]: AlertFacts & AlertDetails[Kind] };

/** Returns what an email carries, and how many there may be. */
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
