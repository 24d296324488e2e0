/** What islands say about the connection to the server. */
export const network = {
  offlineKeepsText: "You’re offline. Your changes are still here; save them when you’re back online.",
  offlineKeepsFiles: "You’re offline. Your files are still here; upload them when you’re back online.",
  noConnection: "You’re offline. Nothing is lost. Try again when you’re back online.",
  noResponse: "The server isn’t responding. Nothing is lost. Try again.",
  unavailable: "The server is busy. Try again shortly.",
  rateLimited: (minutes: number) =>
    `Too many attempts. Try again in ${minutes === 1 ? "a minute" : `${minutes} minutes`}.`,
  failed: "Something went wrong. Try again.",
  someoneElse: "You’re now logged in as someone else. Reload your profile page.",
  loggedOut: "You’ve been logged out.",
  logInNewTab: "Log in again in a new tab",
  thenRetry: ", then try again here.",
};
