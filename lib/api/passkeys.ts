import { ListSchema } from "../schemas/list.ts";
import { NewPasskeySchema, PasskeyLoginSchema, PasskeyRenameSchema } from "../schemas/passkey.ts";
import { LoggedIn } from "../schemas/views/account.ts";
import { OnePasskey, PasskeyList, PasskeyOptions } from "../schemas/views/passkeys.ts";
import { entries } from "./entry.ts";

/** Passkeys. */
export const PASSKEYS = entries({
  "POST /auth/passkey/options": {
    operationId: "getPasskeyLoginOptions",
    summary: "Get the options to log in with a passkey",
    description: "They also serve for a proof with a passkey.",
    caller: "public",
    tokens: "session",
    whileClosing: "open",
    limit: { none: "Pages call it whenever they load, and it neither reads nor stores anything" },
    returns: { 200: PasskeyOptions },
  },
  "POST /auth/passkey": {
    operationId: "logInWithPasskey",
    summary: "Log in with a passkey",
    description: "`credential` is what `navigator.credentials.get` returns, as JSON.",
    caller: "public",
    tokens: "session",
    whileClosing: "open",
    body: PasskeyLoginSchema,
    returns: { 200: LoggedIn },
    sends: ["Set-Cookie"],
    errors: ["INVALID_CREDENTIALS", "EMAIL_NOT_VERIFIED", "ACCOUNT_SUSPENDED"],
    limit: "login",
  },
  "GET /api/passkeys": {
    operationId: "listPasskeys",
    summary: "List your passkeys",
    caller: "session",
    whileClosing: "refused",
    query: ListSchema,
    returns: { 200: PasskeyList },
    sends: ["Link"],
  },
  "POST /api/passkeys/options": {
    operationId: "getPasskeyCreationOptions",
    summary: "Get the options to create a passkey",
    description: "Requires a recent proof.",
    caller: "session",
    whileClosing: "refused",
    returns: { 200: PasskeyOptions },
    errors: ["REAUTHENTICATION_REQUIRED", "TOO_MANY"],
    limit: { none: "Pages call it whenever a passkey is created, and it stores nothing" },
  },
  "POST /api/passkeys": {
    operationId: "addPasskey",
    summary: "Add a passkey",
    description: "`credential` is what `navigator.credentials.create` returns, as JSON.",
    caller: "session",
    whileClosing: "refused",
    body: NewPasskeySchema,
    returns: { 201: OnePasskey },
    errors: ["TOO_MANY", "REAUTHENTICATION_REQUIRED"],
    limit: "security",
  },
  "PATCH /api/passkeys/{id}": {
    operationId: "renamePasskey",
    summary: "Rename a passkey",
    caller: "session",
    whileClosing: "refused",
    body: PasskeyRenameSchema,
    returns: { 200: OnePasskey },
    errors: ["NOT_FOUND"],
    limit: "write",
  },
  "DELETE /api/passkeys/{id}": {
    operationId: "removePasskey",
    summary: "Remove a passkey",
    description: "Requires a recent proof.",
    caller: "session",
    whileClosing: "refused",
    returns: { 204: null },
    errors: ["REAUTHENTICATION_REQUIRED", "NOT_FOUND", "LAST_SIGN_IN_METHOD"],
    limit: "security",
  },
});
