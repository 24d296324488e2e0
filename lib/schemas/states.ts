/** The states of an account. The first one that applies is shown. */
export const USER_STATUSES = ["closing", "suspended", "unverified", "active"] as const;
export type UserStatus = typeof USER_STATUSES[number];

/** What a user may do. Admins also look after the accounts of others. */
export const ROLES = ["user", "admin"] as const;

/** What operators call the states of an email. A canceled one has failed. */
export const MAIL_STATUSES = ["waiting", "sent", "failed"] as const;
export type ListedMailStatus = typeof MAIL_STATUSES[number];

/** Who caused an event, if it was no user. */
export const COMMAND_LINE_ACTOR = "command line";

/** How a session can be opened. A registration counts as password, and so does a reset. */
export const SIGN_IN_METHODS = ["password", "idp", "passkey", "invitation", "code", "link"] as const;

/** What people can prove after their first proof. */
export const SECOND_FACTORS = ["totp", "recovery_code", "passkey"] as const;
