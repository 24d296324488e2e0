import { ListSchema } from "../schemas/list.ts";
import { NewPasskeySchema, PasskeyLoginSchema, PasskeyRenameSchema } from "../schemas/passkey.ts";
import { LoggedIn } from "../schemas/views/account.ts";
import { OnePasskey, PasskeyList, PasskeyOptions } from "../schemas/views/passkeys.ts";
import { operations } from "./operation.ts";

/** Passkeys. */
export const PASSKEYS = operations({
  "POST /auth/passkey/options": {
    summary: "Get the options to log in with a passkey",
    description: "They also serve for a proof with a passkey.",
    access: "public",
    returns: { 200: PasskeyOptions },
  },
  "POST /auth/passkey": {
    summary: "Log in with a passkey",
    description: "`credential` is what `navigator.credentials.get` returns, as JSON.",
    access: "public",
    body: PasskeyLoginSchema,
    returns: { 200: LoggedIn },
    sends: ["Set-Cookie"],
    errors: ["INVALID_CREDENTIALS", "EMAIL_NOT_VERIFIED", "ACCOUNT_SUSPENDED"],
    limit: "login",
  },
  "GET /api/passkeys": {
    summary: "List your passkeys",
    access: "session",
    query: ListSchema,
    returns: { 200: PasskeyList },
    sends: ["Link"],
  },
  "POST /api/passkeys/options": {
    summary: "Get the options to create a passkey",
    description: "Requires a recent proof.",
    access: "session",
    returns: { 200: PasskeyOptions },
    errors: ["REAUTHENTICATION_REQUIRED", "TOO_MANY"],
  },
  "POST /api/passkeys": {
    summary: "Add a passkey",
    description: "`credential` is what `navigator.credentials.create` returns, as JSON.",
    access: "session",
    body: NewPasskeySchema,
    returns: { 201: OnePasskey },
    errors: ["TOO_MANY", "REAUTHENTICATION_REQUIRED"],
  },
  "PATCH /api/passkeys/{id}": {
    summary: "Rename a passkey",
    access: "session",
    body: PasskeyRenameSchema,
    returns: { 200: OnePasskey },
    errors: ["NOT_FOUND"],
  },
  "DELETE /api/passkeys/{id}": {
    summary: "Remove a passkey",
    description: "Requires a recent proof.",
    access: "session",
    returns: { 204: null },
    errors: ["REAUTHENTICATION_REQUIRED", "NOT_FOUND", "LAST_SIGN_IN_METHOD"],
  },
});
