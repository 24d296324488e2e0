import { z } from "zod";
import type { ClientSettings } from "../config/client_settings.ts";
import { isScopeOff } from "../config/uploads_setting.ts";
import { originOf } from "../config/variable_types.ts";
import { said } from "../schemas/documented_rules.ts";
import { notLonger, ONE_LINE, type TextRules } from "../schemas/rules.ts";
import { NAME_MAX, READABLE } from "../schemas/user_rules.ts";
import { httpsProblem, isWebAddress, redirectUriProblem, webAddressProblem } from "./addresses.ts";
import { GROUPS_OF_PERSON_MAX } from "../groups/schema.ts";
import {
  checkedText,
  flag,
  groupName,
  groups,
  listOf,
  oneOf,
  required,
  ruledText,
  scopeList,
  text,
} from "./file_fields.ts";
import { issueMessage, type Problem } from "../errors/problem.ts";
import {
  CLIENT_ID,
  DEFAULT_GRANT_TYPES,
  OFFERED_GRANT_TYPES,
  type RegisteredClient,
  SERVICE_GRANT,
} from "../config/registered_client.ts";
import { ADMIN_SCOPE, isServiceScope, SERVICE_ONLY_SCOPES } from "../schemas/scopes.ts";

const ADDRESSES_MAX = 20;
const RESOURCES_MAX = 100;
/** As many as a person can be in. */
const MANAGED_GROUPS_MAX = GROUPS_OF_PERSON_MAX;
/** How many secrets a client may have, so that one can be replaced. */
export const SECRETS_MAX = 2;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** The bounds of the life of an access token. */
const ACCESS_TTL = { min: 60, max: 3600 };
/** The name of an app or an API, as people read it. */
const NAME: TextRules = { gate: [notLonger(NAME_MAX), ONE_LINE], rules: [READABLE] };
export const name = ruledText(NAME, issueMessage({ rule: "unreadable" }))
  .meta({ minLength: 1, maxLength: NAME_MAX, description: said("oneLine", "trimmed", "readable") });

const addresses = listOf(text, { max: ADDRESSES_MAX }).default([]);
const link = checkedText(httpsProblem).optional();
const ttl = issueMessage({ rule: "between", ...ACCESS_TTL });

/** A client in CLIENTS_FILE. Clients that are made in the browser have most of its fields. Source: RFC 7591, 2. */
export const ClientSchema = z.strictObject({
  client_id: text.regex(CLIENT_ID, "must be 1 to 100 letters, digits, dots, hyphens and underscores")
    .refine((id) => !UUID.test(id), "must not be a UUID, as the ids of people are"),
  client_name: name.meta({ sample: "Team wiki" }),
  client_secret_hashes: listOf(
    text.regex(/^sha256:[0-9a-f]{64}$/, "must be sha256: and 64 digits of 0-9a-f, as foyer clients secret prints it"),
    { max: SECRETS_MAX },
  ).default([]),
  redirect_uris: addresses.meta({ sample: ["https://wiki.example.com/callback"] }),
  post_logout_redirect_uris: addresses,
  backchannel_logout_uri: checkedText(webAddressProblem).optional(),
  grant_types: listOf(oneOf(OFFERED_GRANT_TYPES), { min: 1, max: OFFERED_GRANT_TYPES.length }).default(
    DEFAULT_GRANT_TYPES,
  ),
  scope: scopeList.refine((scopes) => scopes.length > 0, issueMessage({ rule: "scopes" })).default([
    "openid",
    "profile",
    "email",
  ]),
  resources: listOf(text, { max: RESOURCES_MAX }).default([]),
  first_party: flag.default(false),
  grant_lifetime: oneOf(["session", "offline"]).default("session"),
  require_pkce: flag.default(true),
  require_verified_email: flag.default(true),
  require_second_factor: flag.default(false),
  id_token_claims: flag.default(true),
  id_token_signed_response_alg: oneOf(["RS256", "ES256"]).default("RS256"),
  access_ttl: z.int({ error: ttl }).min(ACCESS_TTL.min, ttl).max(ACCESS_TTL.max, ttl).optional(),
  groups,
  manages_groups: listOf(groupName, { max: MANAGED_GROUPS_MAX }).default([]),
  origins: listOf(checkedText(originProblem), { max: ADDRESSES_MAX }).optional(),
  client_uri: link,
  policy_uri: link,
  tos_uri: link,
}, { error: required({ rule: "object" }) });

/** A client as the file has it, with defaults. */
export type ClientFields = z.output<typeof ClientSchema>;

/** What a client has that names no field. */
export const DEFAULT_FIELDS: ClientFields = ClientSchema.parse({ client_id: "default", client_name: "Default" });

function originProblem(value: string): Problem | null {
  return originOf(value) !== null && isWebAddress(value) ? null : { rule: "origin" };
}

/** The scopes of clients that mean something only without a person. */
const FOR_SERVICES: readonly string[] = [...SERVICE_ONLY_SCOPES, ADMIN_SCOPE];

/** Whether an app uses nothing but this service, as itself. */
function isPureService({ grant_types: types, resources }: ClientFields): boolean {
  return types.every((type) => type === SERVICE_GRANT) && resources.length === 0;
}

/** Returns the problems of fields that depend on others, each with the position below the client. */
export function clientProblems(
  client: ClientFields,
  { isPublic, scopes, resources }: { isPublic: boolean; scopes: ReadonlySet<string>; resources: ReadonlySet<string> },
): [path: string, problem: Problem][] {
  const redirects = (["redirect_uris", "post_logout_redirect_uris"] as const).flatMap((field) =>
    client[field].map((uri, index) => [`.${field}[${index}]`, redirectUriProblem(uri, { isPublic })] as const)
  );
  return [
    ...redirects.flatMap(([path, problem]): [string, Problem][] => problem === null ? [] : [[path, problem]]),
    ...client.scope.flatMap((scope): [string, Problem][] => {
      if (!scopes.has(scope)) return [[".scope", { rule: "scope", scope }]];
      const isRight = client.grant_types.includes(SERVICE_GRANT) || !FOR_SERVICES.includes(scope);
      return isRight ? [] : [[".scope", { rule: "serviceScope", scope }]];
    }),
    ...!isPublic && isPureService(client) && !client.scope.some(isServiceScope)
      ? [[".scope", { rule: "noServiceScope" }] as [string, Problem]]
      : [],
    ...client.resources.flatMap((uri, index): [string, Problem][] =>
      resources.has(uri) ? [] : [[`.resources[${index}]`, { rule: "unknownResource" }]]
    ),
  ];
}

/** Returns the client as the service uses it. */
export function registeredClient(
  client: ClientFields,
  { accessTtlSeconds, uploads, isPublic }: Pick<ClientSettings, "accessTtlSeconds" | "uploads"> & { isPublic: boolean },
): RegisteredClient {
  return {
    id: client.client_id,
    name: client.client_name,
    statedName: null,
    isMadeHere: false,
    isPublic,
    secretHashes: client.client_secret_hashes.map((hash) => hash.slice("sha256:".length)),
    redirectUris: client.redirect_uris,
    postLogoutRedirectUris: client.post_logout_redirect_uris,
    backchannelLogoutUri: client.backchannel_logout_uri ?? null,
    grantTypes: client.grant_types,
    // No one can grant what UPLOADS switches off, nor use what was granted before.
    scopes: client.scope.filter((scope) => !isScopeOff({ uploads }, scope)),
    resources: client.resources,
    isFirstParty: client.first_party,
    grantLifetime: client.grant_lifetime,
    requiresPkce: client.require_pkce,
    requiresVerifiedEmail: client.require_verified_email,
    requiresSecondFactor: client.require_second_factor,
    hasIdTokenClaims: client.id_token_claims,
    idTokenAlgorithm: client.id_token_signed_response_alg,
    accessTtlSeconds: client.access_ttl ?? accessTtlSeconds,
    groups: client.groups ?? [],
    managedGroups: [...new Set(client.manages_groups)],
    origins: originsOf(client, isPublic),
    clientUri: client.client_uri ?? null,
    policyUri: client.policy_uri ?? null,
    tosUri: client.tos_uri ?? null,
  };
}

/** A client without a secret runs in the pages that people return to. */
function originsOf({ origins, redirect_uris: uris }: ClientFields, isPublic: boolean): string[] {
  if (origins !== undefined) return [...new Set(origins.map((origin) => new URL(origin).origin))];
  return isPublic ? [...new Set(uris.filter(isWebAddress).map((uri) => new URL(uri).origin))] : [];
}
