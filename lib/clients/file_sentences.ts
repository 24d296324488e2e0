import { type Problem, problemOfIssue, type RuleKey } from "../errors/problem.ts";
import { NAME_MAX, URL_MAX } from "../schemas/user_rules.ts";

/** What the check of CLIENTS_FILE says about a rule. It stands after the position of the field. */
const SENTENCES: { [Key in RuleKey]?: string | ((problem: Problem<Key>) => string) } = {
  appScheme: "may begin with the scheme of an app only if the client has no secret",
  between: ({ min, max }) => `must be a whole number from ${min} to ${max}`,
  boolean: "must be true or false",
  groupName: "must be 1 to 40 lowercase letters, digits, dots, hyphens and underscores, the first a letter or digit",
  httpsAddress: "must be an https URL",
  list: "must be a list",
  noCredentials: "must have no credentials",
  noFragment: "must have no fragment",
  noWildcard: "must have no wildcard",
  object: "must be an object",
  oneOf: ({ values }) => `must be ${values.join(" or ")}`,
  origin: "must be an origin such as https://app.example.com",
  redirectAddress:
    "must be https, http on 127.0.0.1, [::1] or localhost, or begin with a scheme that has a dot, such as " +
    "com.example.app:/callback",
  noServiceScope: "must have a scope that works without a person, such as users:read",
  required: "is required",
  scope: ({ scope }) => `${scope} is neither a scope of this service nor of a resource`,
  scopes: "must name a scope",
  serviceScope: ({ scope }) => `${scope} is only for clients with the grant type client_credentials`,
  string: "must be a text",
  tooLong: `must have at most ${URL_MAX} characters`,
  tooManyEntries: ({ max }) => `must have at most ${max} entries`,
  unknownResource: "is neither among the resources nor in TOKEN_AUDIENCES",
  unreadable: `must be one line of 1 to ${NAME_MAX} characters that people can read`,
  uriCharacters: "must consist of the characters of a URI, with all others percent-encoded",
  webOrLocal: "must be https, or http on 127.0.0.1, [::1] or localhost",
};

/** Says what is wrong with a field of CLIENTS_FILE. */
export function fileSentence<Key extends RuleKey>(problem: Problem<Key>): string {
  const sentence = SENTENCES[problem.rule] as string | ((problem: Problem<Key>) => string) | undefined;
  if (sentence === undefined) throw new Error(`Cannot say what is wrong in CLIENTS_FILE: ${problem.rule}`);
  return typeof sentence === "string" ? sentence : sentence(problem);
}

/** The same for a zod issue. Rules that only the file has are sentences already. */
export function issueSentence(issue: { message: string }): string {
  const problem = problemOfIssue(issue);
  return problem.rule === "invalid" ? issue.message : fileSentence(problem);
}
