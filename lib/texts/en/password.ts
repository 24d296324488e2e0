/** The field for a new password. */
export const password = {
  show: "Show",
  hide: "Hide",
  showPassword: "Show password",
  hidePassword: "Hide password",
  needs: "Your password needs:",
  done: ": done",
};
