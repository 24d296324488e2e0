import { momentText } from "../dates.ts";

/** The pages of the second factor: setting it up, using it, and getting back in without it. */
export const secondFactor = {
  step: {
    title: "Enter a code",
    lead: "Enter the 6-digit code from your authenticator app.",
    code: "Code",
    recovery: {
      title: "Use a recovery code",
      lead: "You got these codes when you set up your authenticator app. Each one works once.",
      code: "Recovery code",
      link: "Use a recovery code",
      back: "Use your authenticator app",
    },
    notYou: "Not you?",
    otherAccount: "Log in as someone else",
    submit: "Log in",
    wrong: "That code is wrong or has already been used.",
    unreadable: "We can’t check the codes of your app at the moment. Use a recovery code, or try again later.",
    lostTitle: (hasCodes: boolean) => hasCodes ? "Lost your recovery codes too?" : "Lost your app?",
    lost: (wait: string) =>
      `We can remove the app and the codes from your account after a waiting time of ${wait}. Until then, we’ll email you every day, and ` +
      "you can stop it. We’ll email you a link to start.",
    lostSubmit: "Email me a link",
  },

  section: {
    title: "Authenticator app",
    off: "Adds a second step, so a stolen password isn’t enough.",
    on: "You enter a code from your app after logging in.",
    verifyFirst: "Confirm your email address before you set up an authenticator app.",
    add: "Set up",
    replace: "Replace",
    remove: "Turn off",
    codesLeft: (left: number) =>
      left === 0
        ? "You have no recovery codes left."
        : left === 1
        ? "1 recovery code left."
        : `${left} recovery codes left.`,
    newCodes: "New recovery codes",
  },

  setup: {
    title: "Set up an authenticator app",
    lead: "Use any authenticator app, such as Google Authenticator or 1Password.",
    replaces: "Your current app stops working once the new one is confirmed, and so do your recovery codes.",
    start: "Continue",
    cancel: "Cancel",
    scan: "Scan this QR code with your app.",
    qr: "QR code for your authenticator app",
    secret: "Can’t scan it? Enter this key in the app instead:",
    openApp: "Open in an app on this device",
    code: "Code from the app",
    codeHint: "6 digits. Enter the code that the app shows now.",
    submit: "Turn on",
    wrong:
      "That code is wrong or has expired. Check that the time on your device is right, then enter the newest code.",
    expired: "You took longer than an hour, or started again in another tab.",
    startAgain: "Start again",
  },

  remove: {
    title: "Turn off your authenticator app?",
    lead: "You’ll log in without a code. Your recovery codes stop working too.",
    submit: "Turn off",
    cancel: "Keep the app",
  },

  reset: {
    title: "Remove your lost authenticator app",
    lead: (wait: string) =>
      `We’ll remove your authenticator app and your recovery codes in ${wait}. Then you can log in without a code.`,
    email: (email: string) => `Until then, we’ll email ${email} every day. Each email has a link that stops it.`,
    found: "Logging in with a code stops it too.",
    submit: "Start the waiting time",
    hint: "Found your app? Close this page, and nothing will change.",
    deadLink: "Log in",
  },

  stop: {
    title: "Keep your authenticator app",
    lead: (date: string) =>
      `Someone (hopefully you) asked us to remove the authenticator app from your account. We’ll do so on ${date}.`,
    submit: "Stop it and keep the app",
    warning:
      "Wasn’t it you? Then someone knows your password and can read your email. Stop it and change both passwords.",
    date: momentText,
  },
};
