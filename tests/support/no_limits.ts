/** For tests that send more from one address, or as one user, than the limits allow. The limit of logins stays. */
export const NO_LIMITS = { LIMIT_REGISTER: "off", LIMIT_MAIL: "off", LIMIT_PRESIGN: "off", LIMIT_IMAGE: "off" };
