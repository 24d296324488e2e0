/** What a page says once after something has been done: a closed list, so that no address or cookie brings words in. */
export const NOTICES = {
  registered: "Welcome! We have sent you a mail: please open the link in it to confirm your address.",
  logged_in: "You are logged in.",
  logged_out: "You are logged out. See you soon.",
  verify_first: "Your password is right, but please confirm your address first.",
  verification_sent: "If this address still has to be confirmed, a new mail is on its way.",
  verified: "Thank you, your address is confirmed.",
  verified_log_in: "Thank you, your address is confirmed. Please log in.",
  account_deleted: "Thank you for telling us. The account has been deleted.",
  reset_sent: "If there is an account with this address, a mail with a link is on its way.",
  password_changed: "Your new password is set. Please log in with it.",
  invitation_accepted: "Your account is ready. Log in with your password.",
  profile_saved: "Your profile is saved.",
  picture_saved: "Your new picture is in place.",
  file_stored: "Your file is stored.",
} as const;

export type NoticeCode = keyof typeof NOTICES;

/** Those after which people look into their mail. */
export const MAIL_NOTICES: readonly NoticeCode[] = ["registered", "verification_sent", "reset_sent"];
