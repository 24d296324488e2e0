/** Turns rate limits off, for tests that send many requests from one address or user. Logins stay limited. */
export const NO_LIMITS = {
  LIMIT_REGISTER: "off",
  LIMIT_ATTEMPT: "off",
  LIMIT_MAIL: "off",
  LIMIT_PRESIGN: "off",
  LIMIT_IMAGE: "off",
  LIMIT_PROOF: "off",
  LIMIT_EXPORT: "off",
  LIMIT_TOKEN: "off",
};
