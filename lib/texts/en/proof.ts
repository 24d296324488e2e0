/** What people see when they must prove again who they are before a sensitive action. */
export const proof = {
  title: "Confirm it’s you",
  /** What the proof is for, after the title. */
  purposes: {
    email: "to change your email address",
    password: "to choose a password",
    method: "to add a way to log in",
    methodRemoval: "to remove a way to log in",
    recoveryCodes: "to get new recovery codes",
    app: "to set up an authenticator app",
    appRemoval: "to turn off your authenticator app",
    passkey: "to add a passkey",
    passkeyRemoval: "to remove a passkey",
    token: "to create an API token",
    data: "to download your data",
    closing: "to delete your account",
  },
  /** For an unknown purpose. */
  lead: "to continue",
  codeLead: (email: string) => `We’ll email a code to ${email}.`,
  codeSentLead: (email: string) => `We’ve emailed a code to ${email}. Check your spam folder too.`,
  password: "Your current password",
  code: "Code from our email",
  totp: "Code from your authenticator app",
  orTotp: "Or a code from your authenticator app",
  totpHint: "6 digits.",
  /** Names the field of a code, emailed or from an app, in the message above a form. */
  anyCode: "Code",
  /** Between a passkey and the fields for other proofs. */
  or: "or",
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
  forgot: "Forgot your password?",
  cancel: "Cancel",
  sendCode: "Email me a code",
  sendNewCode: "Email me a new code",
  /** By the method. Above a form whose proof has expired while someone filled it in. */
  expired: {
    password: "One more step: enter your current password.",
    totp: "One more step: enter a code from your authenticator app.",
    passkey: "One more step: use your passkey.",
    code: "One more step: enter the code that we’ve just emailed you.",
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
