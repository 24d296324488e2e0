import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "../../duration.ts";
import { dayText, momentText } from "./dates.ts";

/** The emails. */
export const emails = {
  /** How long a link works, such as "24 hours": whole days from two days on, then whole hours, then whole minutes. */
  lifetime(seconds: number): string {
    if (seconds >= 2 * DAY_SECONDS && seconds % DAY_SECONDS === 0) return count(seconds / DAY_SECONDS, "day");
    if (seconds % HOUR_SECONDS === 0) return count(seconds / HOUR_SECONDS, "hour");
    return count(Math.ceil(seconds / MINUTE_SECONDS), "minute");
  },

  buttonNotWorking: "Button not working? Copy this link into your browser:",

  verification: {
    subject: (product: string) => `Confirm your email address for ${product}`,
    before: (product: string) =>
      `Someone (hopefully you) created a ${product} account with this email address. Confirm that it’s yours:`,
    action: "Confirm email address",
    after: (lifetime: string) =>
      `This link works for ${lifetime}. Not you? Open it and choose “No” to delete the account.`,
  },

  reset: {
    subject: (product: string) => `Reset your ${product} password`,
    before: (product: string) => `We received a request to reset your ${product} password.`,
    action: "Choose a new password",
    after: (lifetime: string) =>
      `This link works once and expires after ${lifetime}. Didn’t ask for this? ` +
      "Ignore this email and your password won’t change.",
  },

  invitation: {
    subject: (product: string) => `You’re invited to ${product}`,
    before: (product: string) =>
      `An account has been created for you at ${product}. Choose a password to start using it.`,
    action: "Choose a password",
    after: (lifetime: string) =>
      `This link works once and expires after ${lifetime}. ` +
      "After that, choose “Forgot your password?” on the login page.",
  },

  recovery: {
    subject: (product: string) => `Choose a new ${product} password`,
    before: (product: string) =>
      `You told us that someone else used your ${product} account. We’ve ended all sessions and removed the password.`,
    action: "Choose a new password",
    after: (lifetime: string) =>
      `This link works once and expires after ${lifetime}. ` +
      "After that, choose “Forgot your password?” on the login page.",
  },

  email_change: {
    subject: (product: string) => `Confirm your new email address for ${product}`,
    before: (product: string) =>
      `Someone (hopefully you) asked to use this email address for their ${product} account. Confirm that it’s yours:`,
    action: "Confirm email address",
    after: (lifetime: string) =>
      `This link works once and expires after ${lifetime}. Didn’t ask for this? Ignore this email and nothing will change.`,
  },

  email_in_use: {
    subject: (product: string) => `You already have a ${product} account`,
    before: (product: string) =>
      `Someone (hopefully you) asked to use this email address for another ${product} account. ` +
      "An account already uses it, so nothing has changed.",
    action: "Log in",
    after: () => "Didn’t ask for this? You can ignore this email.",
  },

  alerts: {
    circumstances: ({ happenedAt, device, silentUntil }: { happenedAt: Date; device: string; silentUntil?: Date }) =>
      `When: ${momentText(happenedAt)}. Device: ${device}.${silentUntil ? lastOfItsKind(silentUntil) : ""}`,
    action: "This wasn’t me",
    after: (lifetime: string) =>
      "Was it you? Then there’s nothing to do. If not, choose “This wasn’t me” to take your account back: that ends all " +
      `sessions and emails you a link to choose a new password. The link works once and expires after ${lifetime}.`,

    new_device: {
      subject: (product: string) => `New login to your ${product} account`,
      happened: (product: string) => `Someone logged in to your ${product} account on a new device.`,
    },
    password_changed: {
      subject: (product: string) => `Your ${product} password was changed`,
      happened: (product: string) => `The password of your ${product} account was changed.`,
    },
    email_change_requested: {
      subject: (product: string) => `A new email address for your ${product} account`,
      happened: (product: string) =>
        `Someone asked to change the email address of your ${product} account. ` +
        "It changes as soon as the new address is confirmed.",
    },
    email_changed: {
      subject: (product: string) => `Your ${product} email address was changed`,
      happened: (product: string) =>
        `The email address of your ${product} account was changed. This address no longer belongs to it.`,
    },
    passkey_added: {
      subject: (product: string) => `A passkey was added to your ${product} account`,
      happened: (product: string) => `Someone added a passkey to your ${product} account, and can log in with it.`,
    },
    passkey_removed: {
      subject: (product: string) => `A passkey was removed from your ${product} account`,
      happened: (product: string) => `Someone removed a passkey from your ${product} account.`,
    },
    totp_enabled: {
      subject: (product: string) => `An authenticator app protects your ${product} account`,
      happened: (product: string) => `Someone added an authenticator app to your ${product} account.`,
    },
    totp_disabled: {
      subject: (product: string) => `The authenticator app of your ${product} account was removed`,
      happened: (product: string) =>
        `The authenticator app and the recovery codes of your ${product} account were removed.`,
    },
    recovery_code_used: {
      subject: (product: string) => `A recovery code of your ${product} account was used`,
      happened: (product: string) => `Someone used a recovery code to log in to your ${product} account.`,
    },
    recovery_codes_created: {
      subject: (product: string) => `New recovery codes for your ${product} account`,
      happened: (product: string) =>
        `Someone created new recovery codes for your ${product} account. The earlier codes no longer work.`,
    },
    identity_linked: {
      subject: (product: string) => `A new way to log in to your ${product} account`,
      happened: (product: string) =>
        `Someone linked an account at another service to your ${product} account, and can log in with it.`,
    },
    token_created: {
      subject: (product: string) => `New API token for your ${product} account`,
      happened: (product: string) =>
        `Someone created an API token for your ${product} account. With it, a program can act for you.`,
    },
    account_closing: {
      subject: (product: string) => `Your ${product} account is being deleted`,
      happened: (product: string, { dueAt }: { dueAt: Date }) =>
        `We’ll delete your ${product} account on ${dayText(dueAt)}, with your profile and all your files. ` +
        "Changed your mind? Log in before then and choose “Keep my account”.",
      buttonAction: "Keep my account",
    },
  },

  factor_reset: {
    subject: (product: string) => `Lost your authenticator app for ${product}?`,
    before: (product: string) =>
      `Someone (hopefully you) logged in to your ${product} account but has lost the authenticator app and the recovery ` +
      "codes. With this link, we’ll remove them after a waiting time:",
    action: "Remove my authenticator app",
    after: (lifetime: string) =>
      `This link works once and expires after ${lifetime}. Wasn’t it you? Then someone knows how to log in to your ` +
      "account. Change your password.",
  },

  factor_reset_waiting: {
    subject: (product: string) => `Your ${product} authenticator app will be removed`,
    before: (product: string, { dueAt }: { dueAt: Date }) =>
      "Someone (hopefully you) asked us to remove the authenticator app and the recovery codes of your " +
      `${product} account. We’ll do so on ${momentText(dueAt)}.`,
    action: "Keep the app",
    after: () =>
      "Was it you? Then there’s nothing to do. If not, choose “Keep the app” to stop it, and change your password: someone " +
      "knows it. We send this email every day until then.",
  },

  many_wrong_passwords: {
    subject: (product: string) => `Wrong passwords for your ${product} account`,
    before: (product: string) =>
      `Someone has entered many wrong passwords for your ${product} account. For a while, you can log in with your ` +
      "password only in a browser that you have used before. If you’re locked out, choose a new password:",
    action: "Choose a new password",
    after: () =>
      "None of those passwords was right. If yours is long and you use it nowhere else, there’s nothing to do. " +
      "We send this email at most once a day.",
  },

  token_expiring: {
    subject: (product: string) => `An API token for ${product} expires soon`,
    before: (product: string, { name, hint, expiresAt }: { name: string; hint: string; expiresAt: Date }) =>
      `The API token “${name}” (${hint}) for your ${product} account expires on ${momentText(expiresAt)}. ` +
      "Programs that still use it will then stop working.",
    action: "Show API tokens",
    after: () => "If you still need it, create a new token and replace the old one. Otherwise there’s nothing to do.",
  },

  code: {
    subject: (product: string) => `Your ${product} code`,
    before: (product: string) => `Enter this code in ${product} to confirm that it’s you:`,
    after: (lifetime: string) =>
      `The code works once and expires after ${lifetime}. Never share it. Didn’t ask for it? ` +
      "Someone may be using your account: log out of sessions that you don’t recognize.",
  },

  sign_in_code: {
    subject: (product: string) => `Your ${product} login code`,
    before: (product: string) => `Enter this code in ${product} to log in:`,
    after: (lifetime: string) =>
      `The code works once and expires after ${lifetime}. Never share it. ` +
      "Didn’t ask for it? Ignore this email. No one can log in without the code.",
  },

  closed_by_operator: {
    subject: (product: string) => `Your ${product} account will be deleted`,
    before: (product: string, { dueAt }: { dueAt: Date }) =>
      `We’ve closed your ${product} account, and we’ll delete it on ${
        dayText(dueAt)
      }, with your profile and all your ` +
      "files.",
    action: "Keep my account",
    after: () =>
      "Did you ask us to? Then there’s nothing to do. If not, log in before then and choose “Keep my account”.",
  },

  deletion: {
    subject: (product: string) => `Your ${product} account has been deleted`,
    before: (product: string) =>
      `As you asked, we’ve deleted your ${product} account with your profile and all your files. ` +
      "They can’t be restored.",
    after: (_lifetime: string, product: string) =>
      `This is the last email about this account. You can create a new one at ${product}.`,
  },
};

function lastOfItsKind(silentUntil: Date): string {
  return " You’ve had several of these emails today, so this is the last one until " +
    `${momentText(silentUntil)}, however often it happens again. The activity page lists every time. ` +
    "“This wasn’t me” also undoes what happens after this email.";
}

function count(number: number, unit: "day" | "hour" | "minute"): string {
  return number.toLocaleString("en", { style: "unit", unit, unitDisplay: "long" });
}
