import { minutesText } from "../duration.ts";
import type { AppError, ErrorCode, ErrorDataOf } from "../errors/errors.ts";
import { problemInEnglish } from "./problem_english.ts";

type Sentence<Data> = string | ((data: Data) => string);

/** One sentence for a code, or one for each of its reasons. */
type Sentences<Data> = [Data] extends [{ reason: string }]
  ? { [Reason in Data["reason"]]: Sentence<WithReason<Data, Reason>> }
  : Sentence<Data>;

type WithReason<Data, Reason extends string> = Data extends { reason: string }
  ? Reason extends Data["reason"] ? Data : never
  : never;

const ENGLISH: { [Code in ErrorCode]: Sentences<ErrorDataOf<Code>> } = {
  VALIDATION_FAILED: {
    fields: "Validation failed",
    files: "Not all files were stored",
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
    type: ({ contentType }) => `Files of type ${contentType} are not allowed`,
  },
  FILE_SIGNATURE_MISMATCH: ({ contentType }) => `The file's content does not match type ${contentType}`,
  IMAGE_INVALID: {
    undecodable: "The image could not be decoded. Save it again, for example as PNG",
    slow: "The image takes too long to decode. Save it again in a smaller size",
    interlaced: "Interlaced images this large are not supported",
    colors: "The color profile of the image is not supported. Save it as sRGB",
    type: ({ contentType }) => `The image's content does not match type ${contentType}`,
    side: ({ max }) => `One side of the image is longer than ${max} pixels`,
    pixels: ({ max }) => `The image has more than ${max} pixels`,
    scans: ({ max }) => `The image has more than ${max} scans`,
    frames: ({ max }) => `The image has more than ${max} frames`,
    parts: ({ max }) => `The image has more than ${max} parts`,
    textBytes: ({ max }) => `The image has more than ${max} bytes of compressed text`,
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
  REAUTHENTICATION_REQUIRED: "Confirm that it's you first",
  SECOND_FACTOR_REQUIRED: "Enter a code to log in",
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
  PROVIDER_REQUIRED: ({ provider }) => `People with this address log in through the identity provider ${provider}`,
  PROOF_WRONG: ({ proof }) => `Wrong ${proof === "credential" ? "passkey" : proof}`,
  SCOPE_MISSING: ({ scopes }) =>
    scopes.length === 0 ? "API tokens can't be used here" : `The API token needs the scope ${scopes.join(", ")}`,
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
    size: ({ sizeBytes }) => `The upload must be exactly ${sizeBytes} bytes, the declared size`,
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
  EMAIL_TAKEN: "Email already registered",
  GROUP_IN_USE: ({ by }) => `${by} names this group. Change that first`,
  IDEMPOTENCY_IN_PROGRESS: "A request with this Idempotency-Key is still being processed. Try again shortly",
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
    tokens: ({ max }) => `You can have at most ${max} API tokens`,
    passkeys: ({ max }) => `An account can have at most ${max} passkeys`,
    webhooks: ({ max }) => `There can be at most ${max} webhooks`,
    groups: ({ max }) => `There can be at most ${max} groups`,
    groupsOfPerson: ({ max }) => `A person can be in at most ${max} groups`,
    clients: ({ max }) => `There can be at most ${max} apps`,
    clientSecrets: ({ max }) => `An app can have at most ${max} secrets. Delete one first`,
    webhookSecrets: ({ max }) => `A webhook can have at most ${max} secrets that sign. Wait until one expires`,
  },
  UPLOAD_IN_PROGRESS: "This file is being uploaded by another request. Try again shortly",
  PRECONDITION_FAILED: "The profile has changed since you read it. Read it again, then repeat your change",
  PAYLOAD_TOO_LARGE: {
    body: ({ maxBytes }) => `The request body is larger than ${maxBytes} bytes`,
    text: ({ maxBytes }) => `The form has more than ${maxBytes} bytes of text`,
    file: ({ maxBytes }) => `The file is larger than ${maxBytes} bytes`,
    upload: ({ maxBytes }) => `The upload is larger than ${maxBytes} bytes`,
    image: ({ maxBytes }) => `The image is larger than ${maxBytes / 1024 / 1024} MB`,
    declared: "The file does not have the size that was declared. Upload it again",
  },
  QUOTA_EXCEEDED: {
    full: "There is not enough space left. Delete files and try again",
    unverified: "There is not enough space left. Confirm your email address to get more",
  },
  UNSUPPORTED_MEDIA_TYPE: {
    type: ({ expected }) => `The content type must be ${expected}`,
    multipart: "The request body must be multipart/form-data",
    encoding: "Send the body as it is, without Content-Encoding, and Transfer-Encoding may only be chunked",
  },
  IDEMPOTENCY_KEY_REUSED: "This Idempotency-Key was used for a different request. Use a new key",
  RATE_LIMITED: {
    login: ({ windowSeconds }) => `Too many login attempts. Please try again in ${minutesText(windowSeconds)}`,
    requests: ({ retryAfterSeconds }) => `Too many requests. Try again in ${minutesText(retryAfterSeconds)}`,
  },
  INTERNAL: "Something went wrong on our side",
  UNAVAILABLE: {
    restart: "The service is restarting",
    busy: "The server is busy. Try again shortly",
    conversion: "The image could not be converted. Try again shortly",
    provider: "The identity provider is unavailable",
    database: "The service is temporarily unavailable",
    storage: "File storage is temporarily unavailable",
    private: "Private files cannot be stored at the moment",
    changed: "The file changed while it was read. Try again",
    deleted: "The image was deleted while it was stored. Upload it again",
    running: "This request is still being processed. Try again shortly",
  },
};

/** Says in English what went wrong, for the developers who use the API. */
export function errorInEnglish({ code, data }: AppError): string {
  const sentences = ENGLISH[code] as Sentence<unknown> | Record<string, Sentence<unknown>>;
  const sentence = typeof sentences === "object" ? sentences[(data as { reason: string }).reason] : sentences;
  return typeof sentence === "string" ? sentence : sentence(data);
}

/** Lists what the error is about by field, in English. */
export function detailsInEnglish(error: AppError): Record<string, string[]> {
  if (error.is("VALIDATION_FAILED")) {
    return error.data.reason !== "fields" ? {} : Object.fromEntries(
      Object.entries(error.data.fields).map(([field, problems]) => [field, problems.map(problemInEnglish)]),
    );
  }
  if (error.is("REAUTHENTICATION_REQUIRED")) return { [error.data.field ?? "methods"]: error.data.methods };
  if (error.is("SECOND_FACTOR_REQUIRED")) return { methods: error.data.methods };
  if (error.is("PROVIDER_REQUIRED")) return { provider: [error.data.provider] };
  if (error.is("SCOPE_MISSING")) return { scopes: error.data.scopes };
  const methods = error.is("PROOF_WRONG") ? error.data.methods : undefined;
  return {
    ...error.field === undefined ? {} : { [error.field]: [errorInEnglish(error)] },
    ...methods === undefined ? {} : { methods },
  };
}
