import type { Problem, RuleKey } from "../problem.ts";

type English = { [Key in RuleKey]: string | ((problem: Problem<Key>) => string) };

const ENGLISH: English = {
  addedProvider: "Already added",
  adminsOnly: "Only admins may have the scope admin",
  atLeast: ({ min }) => `Must be at least ${min}`,
  audience: "Must be a known audience",
  avatarAddress: "Must be an https address or a file stored here",
  base64url: "Must be base64url",
  between: ({ min, max }) => `Must be a whole number from ${min} to ${max}`,
  boolean: "Must be true or false",
  breached: "Has appeared in a data breach",
  characters: "Contains characters that are not allowed",
  cursor: "Must be a nextCursor value from this list",
  deletedPhoto: "This photo has been deleted. Upload it again",
  digit: "Must have a digit",
  email: "Must be a valid email address",
  emailDomain: ({ domains }) => `Must be an address at ${domains.join(" or ")}`,
  file: "Must be a file",
  fileIncomplete: "Must be a file with a name, a type and some content",
  guessable: "Is too easy to guess",
  httpAddress: "Must be a web address that starts with http:// or https://",
  idempotencyKey: "Must have 1 to 255 visible ASCII characters",
  invalid: "Invalid input",
  json: "Must be JSON",
  knownPasskey: "Is already added",
  longText: "Is too long",
  lowercase: "Must have a lowercase letter",
  mediaType: "Must be a type and a subtype, such as image/png",
  object: "Must be an object",
  once: "Must appear only once",
  oneOf: ({ values }) => `Must be ${values.join(" or ")}`,
  oneProof: "Send only one of password, code and credential",
  publicKey: "Must be public-key",
  required: "Required",
  scope: "Is not a known scope",
  scopeList: "Must be a list of scopes",
  scopes: "Choose at least one scope",
  spentPasskey: "Has been sent before. Ask for new options and try again",
  string: "Must be a string",
  symbol: "Must have a character that is not a letter or digit",
  tooLong: ({ max }) => `Must be at most ${max} characters`,
  tooLongBy: ({ max }) => `Must be at most ${max} characters`,
  tooMany: "Are too many",
  tooManyFiles: ({ max }) => `Must be at most ${max} files`,
  tooManyScopes: ({ max }) => `Must contain at most ${max} scopes`,
  tooShort: ({ min }) => min === 1 ? "Must not be empty" : `Must be at least ${min} characters`,
  unknownField: "Is not a known field",
  unknownProvider: "Unknown provider",
  unreadable: "Must be a readable name",
  unverifiedPasskey: "Could not be verified. Ask for new options and try again",
  uppercase: "Must have an uppercase letter",
  webAddress: "Must be a web address, such as example.com",
  wholeNumber: "Must be a whole number",
  type: ({ expected, received }) => `Invalid input: expected ${expected}, received ${received}`,
};

/** Says in English what is wrong with a field, for the developers who use the API. */
export function problemInEnglish<Key extends RuleKey>(problem: Problem<Key>): string {
  const english = ENGLISH[problem.rule] as English[Key];
  return typeof english === "string" ? english : english(problem);
}
