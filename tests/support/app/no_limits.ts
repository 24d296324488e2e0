/**
 * Turns rate limits off, for tests that send many requests from one address or user. Logins stay limited. Users whose
 * addresses are not confirmed may store as much as others.
 */
export const NO_LIMITS = {
  LIMIT_ACCOUNT: "off",
  LIMIT_REGISTER: "off",
  LIMIT_ATTEMPT: "off",
  LIMIT_MAIL: "off",
  LIMIT_PRESIGN: "off",
  LIMIT_LINK: "off",
  LIMIT_IMAGE: "off",
  LIMIT_PROFILE: "off",
  LIMIT_SECURITY: "off",
  LIMIT_WRITE: "off",
  LIMIT_GUESS: "off",
  LIMIT_PROOF: "off",
  LIMIT_EXPORT: "off",
  LIMIT_TOKEN: "off",
  LIMIT_AUTHORIZE: "off",
  LIMIT_CLIENT: "off",
  UNVERIFIED_QUOTA_BYTES: String(1024 ** 3),
};
