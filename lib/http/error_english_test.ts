import { deepStrictEqual } from "node:assert/strict";
import { AppError, ERROR_STATUS, type ErrorCode, type ErrorDataOf } from "../errors/errors.ts";
import { detailsInEnglish, errorInEnglish } from "./error_english.ts";

/** The other data of an error, and its sentence. */
type Expected = string | [data: object, sentence: string];
type ReasonOf<Data> = Data extends { reason: infer Reason extends string } ? Reason : never;
type ExpectedOf<Code extends ErrorCode> = [ReasonOf<ErrorDataOf<Code>>] extends [never] ? Expected
  : { [Reason in ReasonOf<ErrorDataOf<Code>>]: Expected };

const RETRY = { retryAfterSeconds: 1 };

// API clients may depend on these sentences, so they must not change.
const SENTENCES: { [Code in ErrorCode]: ExpectedOf<Code> } = {
  VALIDATION_FAILED: {
    fields: [{ fields: {} }, "Validation failed"],
    files: [{ stored: 1, refused: [] }, "Not all files were stored"],
    url: "Invalid URL or Host header",
    late: "The request body took too long to arrive",
    chunks: "The request body arrived in too many small chunks. Send larger ones",
    incomplete: "The request body ended early. Send it again",
    range: "A part of a file cannot be stored. Send the whole file, without Content-Range",
    digest: "The body does not have the digest that its headers declare. Send the file again",
    formFields: "The form has too many fields",
    parameters: "The query has too many parameters",
    credential: "Send a credential",
    noBoundary: "The Content-Type of the form has no boundary. Let your HTTP client set this header",
    start: "The form does not start with its boundary",
    end: "The form ends before its last boundary",
    parts: "The form has too many parts",
    partHeaders: "The form has a part with headers that are too long",
    partName: "The form has a part without a name",
    partEncoding: "The form has a part with a Content-Transfer-Encoding. Send its bytes as they are",
    formText: "The form has text that is not UTF-8",
  },
  INVALID_JSON: {
    utf8: "The body is not valid UTF-8",
    syntax: "The body is not valid JSON",
    object: "The body must be a JSON object",
  },
  INVALID_STATE: "Invalid state parameter",
  INVALID_TOKEN: "Invalid or expired token",
  FILE_TYPE_NOT_ALLOWED: {
    image: "Only JPEG, PNG, WebP and GIF images are allowed",
    type: [{ contentType: "text/x" }, "Files of type text/x are not allowed"],
  },
  FILE_SIGNATURE_MISMATCH: [{ contentType: "text/x" }, "The file's content does not match type text/x"],
  IMAGE_INVALID: {
    undecodable: "The image could not be decoded. Save it again, for example as PNG",
    slow: "The image takes too long to decode. Save it again in a smaller size",
    interlaced: "Interlaced images this large are not supported",
    colors: "The color profile of the image is not supported. Save it as sRGB",
    type: [{ contentType: "image/x" }, "The image's content does not match type image/x"],
    side: [{ max: 9 }, "One side of the image is longer than 9 pixels"],
    pixels: [{ max: 9 }, "The image has more than 9 pixels"],
    scans: [{ max: 9 }, "The image has more than 9 scans"],
    frames: [{ max: 9 }, "The image has more than 9 frames"],
    parts: [{ max: 9 }, "The image has more than 9 parts"],
    textBytes: [{ max: 9 }, "The image has more than 9 bytes of compressed text"],
  },
  INVALID_CREDENTIALS: {
    password: "Invalid email or password",
    code: "Wrong or expired code",
    passkey: "This passkey can't be used to log in",
  },
  UNAUTHENTICATED: {
    guest: "Please log in",
    unconfirmed: "The email address is not confirmed",
    token: "The API token is invalid or has expired",
    session: "This session has ended",
    account: "This account has been deleted",
    secondStep: "This login has expired. Log in again",
  },
  EMAIL_NOT_VERIFIED: {
    login: "Please verify your email before logging in",
    action: "Confirm your email address first",
    loginLink: "The address is not confirmed, and someone else may have registered it",
  },
  REAUTHENTICATION_REQUIRED: [{ methods: ["totp"] }, "Confirm that it's you first"],
  SECOND_FACTOR_REQUIRED: [{ methods: ["totp"] }, "Enter a code to log in"],
  SECOND_FACTOR_SETUP_REQUIRED: "Your account must have a second factor. Set one up first",
  ACCOUNT_SUSPENDED: "This account is suspended",
  ACCOUNT_CLOSING: "This account is closing. Keep it or log out",
  REGISTRATION_CLOSED: {
    invited: "Only people who have been invited can create an account",
    closed: "New accounts cannot be created",
  },
  PASSWORDS_OFF: {
    existing: "No one gets a new password here",
    off: "No one logs in with a password here",
  },
  PROVIDER_REQUIRED: [
    { provider: "contoso" },
    "People with this address log in through the identity provider contoso",
  ],
  PROOF_WRONG: [{ proof: "credential", field: "credential" }, "Wrong passkey"],
  SCOPE_MISSING: [{ scopes: ["profile:read"] }, "The API token needs the scope profile:read"],
  SESSION_REQUIRED: "This requires a session. API tokens can't do it",
  USER_REQUIRED: "This is about the caller's own account. An app that acts as itself has none",
  FORBIDDEN: {
    origin: "Requests from this origin are not allowed. CORS_ORIGINS lists those that are",
    window: "This URL must be opened in its own window or tab",
    put: "This URL accepts only PUT",
    otherUser: "You're now logged in as someone else",
    uploadUrl: "The upload URL is invalid or has expired. Ask for a new one",
    group: "Only members of certain groups may do this",
    replaced: "The file can no longer be replaced. Ask for a new upload URL",
    size: [{ sizeBytes: 9 }, "The upload must be exactly 9 bytes, the declared size"],
  },
  NOT_FOUND: {
    page: "Not found",
    user: "User not found",
    session: "Session not found",
    device: "Device not found",
    token: "API token not found",
    passkey: "Passkey not found",
    identity: "Identity not found",
    authenticator: "No authenticator app is set up",
    upload: "Upload not found",
    file: "File not found",
    link: "The link does not work",
    accessTokens: "Access tokens are off: TOKEN_AUDIENCES is not set",
    signInCodes: "Emailed codes are off: SIGN_IN_CODES is not true",
    factorReset: "Second factors cannot be reset: FACTOR_RESET_HOURS is 0",
    mail: "Email not found",
    webhook: "Webhook not found",
    group: "Group not found",
    app: "App not found",
    secret: "Secret not found",
    delivery: "Delivery not found",
    logo: "The app has no logo",
  },
  IDP_NOT_CONFIGURED: {
    unknown: "No such identity provider is configured",
    default: "The default provider has no key in its URL: use /auth/idp",
  },
  METHOD_NOT_ALLOWED: "Method not allowed",
  EMAIL_GONE: "This email has been sent or has failed, and its content is gone",
  EMAIL_TAKEN: [{ field: "email" }, "Email already registered"],
  GROUP_IN_USE: [{ by: "wiki" }, "wiki names this group. Change that first"],
  IDEMPOTENCY_IN_PROGRESS: [RETRY, "A request with this Idempotency-Key is still being processed. Try again shortly"],
  LAST_ADMIN: "This is the last admin. Make someone else an admin first",
  LAST_SECOND_FACTOR: "Your account must have a second factor. Add another one first",
  LAST_SIGN_IN_METHOD: {
    last: "This is your only way to log in. Add another one first",
    required: "People with this address log in only this way",
  },
  MANAGED_BY_FILE: "CLIENTS_FILE registers this app. Change it there",
  NOT_UPLOADED: {
    nothing: "Nothing has been uploaded yet",
    storing: "The image is not stored yet. Try again shortly",
    refused: "The upload was refused, because it is not what was declared. Ask for a new upload URL",
  },
  TOO_MANY: {
    tokens: [{ max: 9 }, "You can have at most 9 API tokens"],
    passkeys: [{ max: 9 }, "An account can have at most 9 passkeys"],
    webhooks: [{ max: 9 }, "There can be at most 9 webhooks"],
    groups: [{ max: 9 }, "There can be at most 9 groups"],
    groupsOfPerson: [{ max: 9 }, "A person can be in at most 9 groups"],
    clients: [{ max: 9 }, "There can be at most 9 apps"],
    clientSecrets: [{ max: 9 }, "An app can have at most 9 secrets. Delete one first"],
    webhookSecrets: [{ max: 9 }, "A webhook can have at most 9 secrets that sign. Wait until one expires"],
  },
  UPLOAD_IN_PROGRESS: [RETRY, "This file is being uploaded by another request. Try again shortly"],
  PRECONDITION_FAILED: "The profile has changed since you read it. Read it again, then repeat your change",
  PAYLOAD_TOO_LARGE: {
    body: [{ maxBytes: 9 }, "The request body is larger than 9 bytes"],
    text: [{ maxBytes: 9, field: "bio" }, "The form has more than 9 bytes of text"],
    file: [{ maxBytes: 9 }, "The file is larger than 9 bytes"],
    upload: [{ maxBytes: 9 }, "The upload is larger than 9 bytes"],
    image: [{ maxBytes: 5 * 1024 * 1024 }, "The image is larger than 5 MB"],
    declared: "The file does not have the size that was declared. Upload it again",
  },
  QUOTA_EXCEEDED: {
    full: "There is not enough space left. Delete files and try again",
    unverified: "There is not enough space left. Confirm your email address to get more",
  },
  UNSUPPORTED_MEDIA_TYPE: {
    type: [{ expected: "application/json" }, "The content type must be application/json"],
    multipart: "The request body must be multipart/form-data",
    encoding: "Send the body as it is, without Content-Encoding, and Transfer-Encoding may only be chunked",
  },
  IDEMPOTENCY_KEY_REUSED: "This Idempotency-Key was used for a different request. Use a new key",
  RATE_LIMITED: {
    login: [{ ...RETRY, windowSeconds: 900 }, "Too many login attempts. Please try again in 15 minutes"],
    requests: [{ retryAfterSeconds: 1 }, "Too many requests. Try again in 1 minute"],
  },
  INTERNAL: "Something went wrong on our side",
  UNAVAILABLE: {
    restart: [RETRY, "The service is restarting"],
    busy: [RETRY, "The server is busy. Try again shortly"],
    conversion: [RETRY, "The image could not be converted. Try again shortly"],
    provider: [RETRY, "The identity provider is unavailable"],
    database: [RETRY, "The service is temporarily unavailable"],
    storage: [RETRY, "File storage is temporarily unavailable"],
    private: [RETRY, "Private files cannot be stored at the moment"],
    changed: [RETRY, "The file changed while it was read. Try again"],
    deleted: [RETRY, "The image was deleted while it was stored. Upload it again"],
    running: [RETRY, "This request is still being processed. Try again shortly"],
  },
};

Deno.test("the API has one sentence for each error and each of its reasons", () => {
  for (const [code, expected] of Object.entries(SENTENCES)) {
    const isOne = typeof expected === "string" || Array.isArray(expected);
    const cases: [object, Expected][] = isOne
      ? [[{}, expected as Expected]]
      : Object.entries(expected).map(([reason, each]) => [{ reason }, each]);
    for (const [reason, each] of cases) {
      const [data, sentence] = typeof each === "string" ? [{}, each] : each;
      deepStrictEqual(errorInEnglish(new AppError<ErrorCode>(code as ErrorCode, { ...reason, ...data })), sentence);
    }
  }
  deepStrictEqual(Object.keys(SENTENCES), Object.keys(ERROR_STATUS));
});

Deno.test("the details of an error name what it is about", () => {
  const fields = { name: [{ rule: "tooShort", min: 2 } as const, { rule: "unreadable" } as const] };
  const cases: [error: AppError, details: object][] = [
    [new AppError("VALIDATION_FAILED", { reason: "fields", fields }), {
      name: ["Must be at least 2 characters", "Must be a readable name"],
    }],
    [new AppError("VALIDATION_FAILED", { reason: "url" }), {}],
    [new AppError("REAUTHENTICATION_REQUIRED", { methods: ["password", "totp"] }), { methods: ["password", "totp"] }],
    [new AppError("REAUTHENTICATION_REQUIRED", { methods: ["totp"], field: "proof_code" }), { proof_code: ["totp"] }],
    [new AppError("SECOND_FACTOR_REQUIRED", { methods: ["totp"] }), { methods: ["totp"] }],
    [new AppError("PROVIDER_REQUIRED", { provider: "contoso" }), { provider: ["contoso"] }],
    [new AppError("SCOPE_MISSING", { scopes: [] }), { scopes: [] }],
    [new AppError("PROOF_WRONG", { proof: "code", field: "code" }), { code: ["Wrong code"] }],
    [new AppError("PROOF_WRONG", { proof: "code", field: "code", methods: ["recovery_code"] }), {
      code: ["Wrong code"],
      methods: ["recovery_code"],
    }],
    [new AppError("PROOF_WRONG", { proof: "password", field: "currentPassword" }), {
      currentPassword: ["Wrong password"],
    }],
    [new AppError("EMAIL_TAKEN", { field: "email" }), { email: ["Email already registered"] }],
    [new AppError("PAYLOAD_TOO_LARGE", { reason: "text", maxBytes: 9, field: "bio" }), {
      bio: ["The form has more than 9 bytes of text"],
    }],
    [new AppError("NOT_FOUND", { reason: "user" }), {}],
  ];
  for (const [error, details] of cases) deepStrictEqual(detailsInEnglish(error), details, error.message);
});

Deno.test("a token without any scope is told that none helps", () => {
  deepStrictEqual(errorInEnglish(new AppError("SCOPE_MISSING", { scopes: [] })), "API tokens can't be used here");
});
