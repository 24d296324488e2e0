/** The result of a form, which the next page shows once. */
export const notices = {
  registered: "Welcome. We’ve emailed you a link to confirm your address.",
  logged_out: "You’ve logged out.",
  verify_first: "Confirm your email address before you log in.",
  verification_sent: "If this address still needs confirming, we’ve sent it a new link.",
  verified: "Your email address is confirmed.",
  verified_log_in: "Your email address is confirmed. Log in to continue.",
  account_deleted: "Thanks for telling us. We’ve deleted the account.",
  reset_sent: "If an account uses this address, you’ll get an email with a link. You can ask for up to three an hour.",
  password_changed: "Password changed. Log in with your new password.",
  invitation_accepted: "Your account is ready. Log in with your password.",
  profile_saved: "Profile saved.",
  photo_saved: "Photo updated.",
  file_stored: "File uploaded.",
};

/** A closed list, so that a forged URL or cookie cannot put its own text on a page. */
export type NoticeCode = keyof typeof notices;
