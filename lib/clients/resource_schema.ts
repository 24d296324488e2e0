import { z } from "zod";
import { notLonger, ONE_LINE } from "../schemas/rules.ts";
import { READABLE } from "../schemas/user_rules.ts";
import { webAddressProblem } from "./addresses.ts";
import { name } from "./client_schema.ts";
import { checkedText, flag, groups, listOf, required, ruledText, text } from "./file_fields.ts";
import { RESERVED_SCOPES } from "./own_scopes.ts";
import type { Resource } from "../config/registered_client.ts";

const SCOPE_TEXT_MAX = 200;
/** Source: RFC 6749, 3.3. */
const SCOPE = /^[!#-[\]-~]{1,100}$/;
const LANGUAGE = /^[a-zA-Z]{2,8}(-[a-zA-Z0-9]{1,8})*$/;

const scopeText = ruledText(
  { gate: [notLonger(SCOPE_TEXT_MAX), ONE_LINE], rules: [READABLE] },
  `must be one line of 1 to ${SCOPE_TEXT_MAX} characters that people can read`,
);
const textByLanguage = z.record(z.string(), scopeText).superRefine((texts, context) => {
  const tags = Object.keys(texts);
  if (tags.length === 0) context.addIssue({ code: "custom", message: "must have a text" });
  for (const tag of tags.filter((tag) => !LANGUAGE.test(tag))) {
    context.addIssue({ code: "custom", path: [tag], message: "must be named by a language, such as de or pt-BR" });
  }
});
/** One text for all languages, or one for each. The type decides, so that the message fits. */
const description = z.unknown().transform((value, context) => {
  const schema = typeof value === "object" && value !== null ? textByLanguage : scopeText;
  const { data, error } = schema.safeParse(value);
  for (const { path, message } of error?.issues ?? []) context.addIssue({ code: "custom", path, message });
  return data ?? z.NEVER;
});
const scopes = z.record(z.string(), description, { error: required({ rule: "object" }) })
  .superRefine((texts, context) => {
    for (const scope of Object.keys(texts)) {
      const problem = scopeProblem(scope);
      if (problem !== null) context.addIssue({ code: "custom", path: [scope], message: problem });
    }
  });

/** A resource in CLIENTS_FILE. */
export const ResourceSchema = z.strictObject({
  resource: checkedText(webAddressProblem),
  name,
  scopes: scopes.default({}),
  default_scopes: listOf(text).default([]),
  claims: listOf(
    z.enum(["email", "email_verified", "name", "groups"], { error: "must be email, email_verified, name or groups" }),
  )
    .default([]),
  groups,
  agents: flag.default(false),
}, { error: required({ rule: "object" }) });

/** A resource as the file has it, with defaults. */
export type ResourceFields = z.output<typeof ResourceSchema>;

function scopeProblem(scope: string): string | null {
  if (RESERVED_SCOPES.includes(scope)) return "is a scope of this service";
  return SCOPE.test(scope) ? null : "must be 1 to 100 ASCII characters without spaces, quotes and backslashes";
}

/** Returns the problems of fields that depend on others, each with the position below the resource. */
export function resourceProblems(resource: ResourceFields, baseUrl: string): [path: string, problem: string][] {
  const { resource: uri, scopes, default_scopes: defaults } = resource;
  return [
    ...uri === baseUrl || uri === `${baseUrl}/`
      ? [[".resource", "must not be the address of this service"] as [string, string]]
      : [],
    ...defaults.flatMap((scope, index): [string, string][] =>
      Object.hasOwn(scopes, scope) ? [] : [[`.default_scopes[${index}]`, "is not one of its scopes"]]
    ),
  ];
}

/** Returns the resource as the service uses it. */
export function resourceOf(fields: ResourceFields): Resource {
  const { resource: uri, name, scopes, default_scopes: defaultScopes, claims, groups = [], agents } = fields;
  return { uri, name, scopes: new Map(Object.entries(scopes)), defaultScopes, claims, groups, isForAgents: agents };
}
