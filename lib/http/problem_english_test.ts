import { deepStrictEqual } from "node:assert/strict";
import type { Problem, RuleKey } from "../errors/problem.ts";
import { problemInEnglish } from "./problem_english.ts";

// API clients may depend on these sentences, so they must not change.
const PROBLEMS: Record<RuleKey, string | [parameters: object, sentence: string]> = {
  addedProvider: "Already added",
  adminsOnly: "Only admins may have the scope admin",
  atLeast: [{ min: 1 }, "Must be at least 1"],
  audience: "Must be one of TOKEN_AUDIENCES",
  avatarAddress: "Must be an https address or a file stored here",
  base64url: "Must be base64url",
  between: [{ min: 1, max: 365 }, "Must be a whole number from 1 to 365"],
  boolean: "Must be true or false",
  breached: "Has appeared in a data breach",
  characters: "Contains characters that are not allowed",
  cursor: "Must be a nextCursor value from this list",
  deletedPhoto: "This photo has been deleted. Upload it again",
  digit: "Must have a digit",
  email: "Must be a valid email address",
  emailDomain: [{ domains: ["a.example", "b.example"] }, "Must be an address at a.example or b.example"],
  eventKind: [{ kind: "user.renamed" }, "Is not a known kind of event: user.renamed"],
  eventKindList: "Must be a list of kinds of events",
  eventKinds: "Choose at least one kind of event",
  file: "Must be a file",
  fileIncomplete: "Must be a file with a name, a type and some content",
  fileName: [{ max: 255 }, "Must be a file whose name has at most 255 characters, in one line"],
  groupList: "Must be a list of names of groups",
  groupName: "Must begin with a lowercase letter or a digit, and have only these, dots, hyphens and underscores",
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
  oneOf: [{ values: ["avatar", "post"] }, "Must be avatar or post"],
  oneProof: "Send only one of password, code and credential",
  publicAddress: "Must be an https address on the public Internet, or one of a host in WEBHOOK_PRIVATE_HOSTS",
  publicKey: "Must be public-key",
  required: "Required",
  returnAddress: "Must be an address of this service, of a product in RETURN_ORIGINS or of an app",
  sameAddress: "Must be the same address",
  scope: [{ scope: "files" }, "Is not a known scope: files"],
  scopeList: "Must be a list of scopes",
  scopes: "Choose at least one scope",
  spentPasskey: "Has been sent before. Ask for new options and try again",
  string: "Must be a string",
  symbol: "Must have a character that is not a letter or digit",
  tooLong: [{ max: 100 }, "Must be at most 100 characters"],
  tooLongBy: [{ max: 100, by: 2 }, "Must be at most 100 characters"],
  tooMany: "Are too many",
  tooManyFiles: [{ max: 20 }, "Must be at most 20 files"],
  tooManyScopes: [{ max: 100 }, "Must contain at most 100 scopes"],
  tooShort: [{ min: 8 }, "Must be at least 8 characters"],
  type: [{ expected: "array", received: "string" }, "Invalid input: expected array, received string"],
  unknownField: "Is not a known field",
  unknownGroup: [{ group: "staff" }, "There is no group staff"],
  unknownProvider: "Unknown provider",
  unreadable: "Must be a readable name",
  unverifiedPasskey: "Could not be verified. Ask for new options and try again",
  uppercase: "Must have an uppercase letter",
  webAddress: "Must be a web address, such as example.com",
  wholeNumber: "Must be a whole number",
};

Deno.test("the API has one sentence for each rule that a field can break", () => {
  for (const [rule, each] of Object.entries(PROBLEMS)) {
    const [parameters, sentence] = typeof each === "string" ? [{}, each] : each;
    deepStrictEqual(problemInEnglish({ rule, ...parameters } as Problem), sentence);
  }
  deepStrictEqual(problemInEnglish({ rule: "tooShort", min: 1 }), "Must not be empty");
});
