/** The kinds of characters that a new password must contain. */
export type CharacterKind = "uppercase" | "lowercase" | "digit" | "symbol";

/** The parameters of the rules that have some. */
interface RuleParameters {
  tooShort: { min: number };
  tooLong: { max: number };
  /** The same. `by` is the number of characters that are too many. */
  tooLongBy: { max: number; by: number };
  atLeast: { min: number };
  between: { min: number; max: number };
  oneOf: { values: readonly string[] };
  /** The name of a file. */
  fileName: { max: number };
  tooManyFiles: { max: number };
  tooManyScopes: { max: number };
  tooManyEntries: { max: number };
  eventKind: { kind: string };
  scope: { scope: string };
  serviceScope: { scope: string };
  unknownGroup: { group: string };
  managedGroup: { group: string };
  emailDomain: { domains: readonly string[] };
  type: { expected: string; received: string };
}

/** Names a rule that a field can break. The catalogs have a text for each. */
export type RuleKey =
  | CharacterKind
  | keyof RuleParameters
  | "addedProvider"
  | "adminsOnly"
  | "appScheme"
  | "audience"
  | "avatarAddress"
  | "base64url"
  | "boolean"
  | "breached"
  | "characters"
  | "cursor"
  | "deletedPhoto"
  | "email"
  | "eventKindList"
  | "eventKinds"
  | "file"
  | "fileIncomplete"
  | "groupList"
  | "groupName"
  | "guessable"
  | "httpAddress"
  | "httpsAddress"
  | "idempotencyKey"
  | "invalid"
  | "json"
  | "knownPasskey"
  | "list"
  | "longText"
  | "mediaType"
  | "noCredentials"
  | "noFragment"
  | "noServiceScope"
  | "noWildcard"
  | "object"
  | "once"
  | "oneProof"
  | "onlyInFile"
  | "origin"
  | "publicAddress"
  | "publicKey"
  | "redirectAddress"
  | "required"
  | "returnAddress"
  | "sameAddress"
  | "scopeList"
  | "scopes"
  | "spentPasskey"
  | "string"
  | "tooMany"
  | "unknownField"
  | "unknownProvider"
  | "unknownResource"
  | "unreadable"
  | "unverifiedPasskey"
  | "uriCharacters"
  | "webAddress"
  | "webOrLocal"
  | "wholeNumber";

/** What is wrong with a field: a rule that it breaks, and the parameters of the rule. */
export type Problem<Key extends RuleKey = RuleKey> = {
  [Each in Key]: { rule: Each } & (Each extends keyof RuleParameters ? RuleParameters[Each] : unknown);
}[Key];

/** Problems by field. A problem with the whole input is listed under the field that is closest to it. */
export type FieldProblems = Record<string, Problem[]>;

/** Writes a problem as the message of a zod issue, because most of zod's checks take nothing but a message. */
export function issueMessage(problem: Problem): string {
  return JSON.stringify(problem);
}

const ENTRY_MAX = 100;

/** Returns an entry of a list as an error names it. */
export function shownEntry(input: unknown): string {
  return (typeof input === "string" ? input : JSON.stringify(input) ?? "").slice(0, ENTRY_MAX);
}

/** Reads the problem from the message of a zod issue. The messages of zod itself are for programmers. */
export function problemOfIssue({ message }: { message: string }): Problem {
  return message.startsWith("{") ? JSON.parse(message) : { rule: "invalid" };
}
