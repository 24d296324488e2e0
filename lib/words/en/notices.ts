/** The result of a form, which the next page shows. */
export const notices = {
  registered: "Welcome. We’ve emailed you a link to confirm your address.",
  logged_out: "You’ve logged out.",
  verify_first: "Confirm your email address before you log in.",
  verification_sent: "If this address still needs confirming, we’ve sent it a new link.",
  verified: "Your email address is confirmed.",
  verified_log_in: "Your email address is confirmed. Log in to continue.",
  account_closing: "Your account is closing, and you’re logged out. To keep it, log in again.",
  account_kept: "Your account stays. Nothing has been deleted.",
  account_deleted: "Thanks for telling us. We’ve deleted the account.",
  reset_sent: "If an account uses this address, you’ll get an email with a link. You can ask for up to three an hour.",
  emails_used_up:
    "We send up to three of these emails an hour. Use the link in the newest one, and check your spam folder too.",
  password_changed: "Password changed. Log in with your new password.",
  password_saved: "Password changed. You’re still logged in on your other devices.",
  password_saved_others_ended: "Password changed. You’ve been logged out on your other devices.",
  invitation_accepted: "Your account is ready. Log in with your password.",
  code_sent: "We’ve emailed you a code. Check your spam folder too.",
  session_ended: "Session logged out.",
  other_sessions_ended: "All other sessions are logged out. You’re still logged in here.",
  email_change_sent: "We’ve emailed you a link. Your address changes when you open it and confirm.",
  email_changed: "Email address changed.",
  email_changed_log_in: "Email address changed. Log in with your new address.",
  account_secured: "Your account is secure. We’ve emailed you a link to choose a new password.",
  identity_added: "Sign-in method added.",
  identity_removed: "Sign-in method removed.",
  token_created: "API token created.",
  token_deleted: "API token deleted. Programs that use it stop working.",
  profile_saved: "Profile saved.",
  photo_saved: "Photo updated. Profile saved.",
  photo_removed: "Photo removed. Profile saved.",
  file_stored: "File uploaded.",
  files_restored: "Files restored.",
  files_not_chosen: "Choose the files to delete first.",
};

/** A closed list, so that a forged URL or cookie cannot put its own text on a page. */
export type NoticeCode = keyof typeof notices;
