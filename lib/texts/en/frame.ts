import type { ErrorCode } from "../../errors.ts";

type ErrorPageTexts = [title: string, advice: string];

/** The header and footer of every page, the error pages, and the development outbox. */
export const frame = {
  description: (product: string) => `Create your ${product} account, log in and manage your profile.`,
  skipToContent: "Skip to main content",
  mainNavigation: "Main",
  accountMenu: "Account menu",
  people: "People",
  apiDocs: "API",
  uploads: "Your files",
  viewProfile: "View profile",
  dashboard: "Dashboard",
  settings: "Settings",
  security: "Security",
  keepAccount: "Keep my account",
  logIn: "Log in",
  createAccount: "Create account",
  logOut: "Log out",
  footer: (product: string) => `${product}: accounts, profiles and uploads.`,
  titleWithError: (title: string) => `Error: ${title}`,
  oneMoment: "One moment…",
  continue: "Continue",
  /** Instead of "One moment…", when a product keeps sending people back. */
  loop: {
    title: "We’re going around in circles",
    explanation: (host: string) => `You’re logged in here, but ${host} has sent you back several times.`,
    advice: "Wait a moment, then try again. If it happens again, tell the people who run that site.",
  },
  tryAgain: "Try again",
  /** Below an error of ours in answer to a form. */
  resend: "What you entered isn’t lost. Reload this page to send it again. " +
    "When your browser asks whether to resend the form, choose yes.",
  homePage: "Go to the home page",
  logInInNewTab: "Log in (opens a new tab)",
  /** The heading and the advice of an error page, by status. */
  errorPages: {
    400: ["This link isn’t valid", "Check the address, or go back and try again."],
    401: [
      "You’ve been logged out",
      "What you entered isn’t lost. Log in again in a new tab, then come back here and reload. " +
      "When your browser asks whether to resend the form, choose yes.",
    ],
    403: ["This page is out of date", "Go back, reload it and try again."],
    404: ["Page not found", "The link may be out of date, or the address may be mistyped."],
    405: ["This page can’t be opened directly", "Start from the home page instead."],
    413: ["That text is too long", "Go back, shorten it and try again."],
    429: ["Too many requests", "Wait a few minutes, then try again."],
    500: [
      "Something went wrong",
      "The problem is on our side and has been logged. Try again in a few minutes.",
    ],
    503: [
      "We’ll be right back",
      "The service is temporarily unavailable. Your data is safe. Try again in a moment.",
    ],
  } as Record<number, ErrorPageTexts>,
  /** The same by code, where the status says too little. */
  errorPagesByCode: {
    INVALID_STATE: [
      "Your login attempt has expired",
      "You may have taken longer than ten minutes or started again in another tab. Log in to continue.",
    ],
    ACCOUNT_SUSPENDED: ["This account is suspended", "You can’t log in to it."],
  } as Partial<Record<ErrorCode, ErrorPageTexts>>,
  /** Before the id of a request that was refused. */
  requestId: "If you ask for help, mention this request:",
  openOutbox: "open the outbox",
  development: "Development:",
  outbox: {
    title: "Development outbox",
    lead: "Emails that would have been sent. Visible only on this machine.",
    empty: "No emails yet. Create an account to see one.",
    to: (address: string) => `To ${address}`,
  },
};
