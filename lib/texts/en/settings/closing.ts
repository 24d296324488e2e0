import { dayText } from "../dates.ts";

/** Downloading one's data, deleting an account and keeping it. */
export const closing = {
  data: {
    title: "Your data",
    downloadTitle: "Download your data",
    download:
      "One file in JSON format with your profile, sessions, activity, emails and links to your files. It contains no " +
      "passwords.",
    downloadSubmit: "Download my data",
    closeTitle: "Delete your account",
    close: (days: string) =>
      `We log you out everywhere and hide your profile. You have ${days} to change your mind. After that, we delete the ` +
      "account with all your files.",
    closeAtOnce: "We log you out everywhere and delete your account with all your files. This can’t be undone.",
    closeLink: "Delete account…",
  },

  close: {
    title: "Delete your account",
    now: "What happens now",
    nowPoints: [
      "You’ll be logged out on all your devices.",
      "Other people will no longer see your profile.",
      "No one else can create an account with your email address.",
      "Links to your files keep working until the account is deleted.",
    ],
    later: (date: string) => `What happens on ${date}`,
    laterPoints: [
      "We delete your account, your profile and all your files. This can’t be undone.",
      "We email you once that is done.",
    ],
    undo: (date: string) => `Changed your mind? Log in before ${date} to keep your account.`,
    download: "Download your data first",
    submit: "Delete account",
  },

  keep: {
    title: "Keep your account?",
    lead: (date: string) =>
      `On ${date}, we’ll delete this account with its profile and all its files. This can’t be undone.`,
    submit: "Keep my account",
    download: "Download your data",
    logOut: "Log out",
  },

  date: dayText,
};
