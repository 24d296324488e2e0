/** What people see when they must prove again who they are before a sensitive action. */
export const proof = {
  title: "Confirm it’s you",
  lead: "Before you continue, confirm that it’s you.",
  codeLead: (email: string) => `Before you continue, we’ll email a code to ${email} to confirm that it’s you.`,
  codeSentLead: (email: string) => `Enter the code that we emailed to ${email}.`,
  password: "Your current password",
  code: "Code from our email",
  totp: "Code from your authenticator app",
  orTotp: "Or a code from your authenticator app",
  totpHint: "6 digits.",
  /** Names the field of a code, emailed or from an app, in the message above a form. */
  anyCode: "Code",
  codeHint: "8 digits. The code works for 10 minutes.",
  passkey: "Passkey",
  usePasskey: "Use a passkey",
  passkeyNeedsScripts: "Using a passkey needs JavaScript. Turn it on to continue.",
  passkeyMissing: "This browser doesn’t support passkeys. Try another browser or device.",
  passkeyProblems: {
    cancelled: "No passkey was used. Try again.",
    failed: "Something went wrong. Try again.",
  },
  submit: "Continue",
  sendCode: "Email me a code",
  sendNewCode: "Email me a new code",
  /** By the method. Above a form whose proof has expired while someone filled it in. */
  expired: {
    password: "It’s been a while. Enter your current password to continue.",
    totp: "It’s been a while. Enter a code from your authenticator app to continue.",
    passkey: "It’s been a while. Use your passkey to continue.",
    code: "It’s been a while. Enter the code that we’ve just emailed you to continue.",
  },
  /** By the method. */
  enter: {
    password: "Enter your current password.",
    totp: "Enter a code from your authenticator app.",
    passkey: "Use your passkey to continue.",
    code: "Enter the code from our email.",
  },
  /** By what was entered. */
  wrong: {
    password: "That’s not your current password.",
    credential: "That passkey didn’t work. Try again.",
    code: "That code is wrong or has expired.",
  },
};
