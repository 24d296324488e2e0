import { SecondFactorSchema } from "../sign_in/schema.ts";
import { LoggedIn } from "../accounts/schema.ts";
import { RecoveryCodes, TotpSetupView } from "../sign_in/second_factor/schema.ts";
import { entries } from "./entry.ts";

/** Authenticator apps and recovery codes. */
export const SECOND_FACTOR = entries({
  "POST /auth/second-factor": {
    operationId: "completeSecondFactor",
    summary: "Complete a login with a second factor",
    description:
      "After a login that got 403 `SECOND_FACTOR_REQUIRED`, which set a cookie. `code` may be a recovery code.",
    caller: "public",
    tokens: "session",
    whileClosing: "open",
    body: SecondFactorSchema,
    returns: { 200: LoggedIn },
    sends: ["Set-Cookie"],
    errors: ["PROOF_WRONG", "ACCOUNT_SUSPENDED"],
    limit: "proof",
  },
  "POST /api/totp": {
    operationId: "addTotp",
    summary: "Set up an authenticator app",
    description: "Requires a recent proof. It counts once a code has confirmed it.",
    caller: "session",
    whileClosing: "refused",
    returns: { 200: TotpSetupView },
    errors: ["REAUTHENTICATION_REQUIRED", "EMAIL_NOT_VERIFIED"],
    limit: "security",
  },
  "POST /api/totp/confirm": {
    operationId: "confirmTotp",
    summary: "Confirm an authenticator app",
    description: "Returns recovery codes, which are never shown again.",
    caller: "session",
    whileClosing: "refused",
    body: SecondFactorSchema,
    returns: { 200: RecoveryCodes },
    errors: ["PROOF_WRONG", "REAUTHENTICATION_REQUIRED"],
    limit: "proof",
  },
  "POST /api/totp/recovery-codes": {
    operationId: "replaceRecoveryCodes",
    summary: "Replace the recovery codes",
    description: "Requires a recent proof.",
    caller: "session",
    whileClosing: "refused",
    returns: { 200: RecoveryCodes },
    errors: ["REAUTHENTICATION_REQUIRED", "NOT_FOUND"],
    limit: "security",
  },
  "DELETE /api/totp": {
    operationId: "removeTotp",
    summary: "Turn off the authenticator app",
    description: "Requires a recent proof.",
    caller: "session",
    whileClosing: "refused",
    returns: { 204: null },
    errors: ["REAUTHENTICATION_REQUIRED", "NOT_FOUND"],
    limit: "security",
  },
});
