import type { Config } from "../config/config.ts";
import { hasUploads, isScopeOff } from "../config/uploads_setting.ts";
import type { DiscoveryDocument, ProtectedResource } from "./schema.ts";
import { ADMIN_SCOPE, SCOPES, SERVICE_ONLY_SCOPES } from "../schemas/scopes.ts";
import type { Languages } from "../texts/texts.ts";
import { OFFERED_GRANT_TYPES } from "../config/registered_client.ts";
import { OWN_SCOPES } from "../clients/own_scopes.ts";

/** What ID tokens and userinfo may say. */
const CLAIMS = [
  "acr",
  "amr",
  "aud",
  "auth_time",
  "email",
  "email_verified",
  "exp",
  "given_name",
  "groups",
  "iat",
  "iss",
  "locale",
  "name",
  "nonce",
  "picture",
  "preferred_username",
  "sid",
  "sub",
  "updated_at",
  "website",
];
const CONFIDENTIAL = ["client_secret_basic", "client_secret_post"];

/**
 * Returns what clients need to know about this service. Source: OpenID Connect Discovery 1.0, 3; RFC 8414, 2; RFC 9207,
 * 3; RFC 8628, 4; OpenID Connect Back-Channel Logout 1.0, 2.1; OAuth Client ID Metadata Document, 5.
 */
export function discoveryDocument(
  config: Config,
  { byTag }: Pick<Languages, "byTag">,
): DiscoveryDocument {
  const { baseUrl, registrations, brand: { settings } } = config;
  const ofResources = [...registrations?.resources.values() ?? []].flatMap(({ scopes }) => [...scopes.keys()]);
  return {
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}/oauth/authorize`,
    token_endpoint: `${baseUrl}/oauth/token`,
    userinfo_endpoint: `${baseUrl}/oauth/userinfo`,
    revocation_endpoint: `${baseUrl}/oauth/revoke`,
    introspection_endpoint: `${baseUrl}/oauth/introspect`,
    end_session_endpoint: `${baseUrl}/oauth/logout`,
    device_authorization_endpoint: `${baseUrl}/oauth/device_authorization`,
    jwks_uri: `${baseUrl}/.well-known/jwks.json`,
    scopes_supported: [
      ...new Set([
        ...OWN_SCOPES.filter((scope) => !isScopeOff(config, scope)),
        ...SERVICE_ONLY_SCOPES,
        ...ofResources,
      ]),
    ],
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: [...OFFERED_GRANT_TYPES],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256", "ES256"],
    token_endpoint_auth_methods_supported: [...CONFIDENTIAL, "none"],
    revocation_endpoint_auth_methods_supported: [...CONFIDENTIAL, "none"],
    introspection_endpoint_auth_methods_supported: CONFIDENTIAL,
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    acr_values_supported: ["1", "2"],
    prompt_values_supported: ["none", "login", "consent", "select_account", "create"],
    claims_supported: CLAIMS.filter((claim) => claim !== "picture" || hasUploads(config, "photos")),
    ui_locales_supported: [...byTag.keys()],
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    client_id_metadata_document_supported: config.clientDocuments !== null,
    service_documentation: `${baseUrl}/docs`,
    ...settings.privacyUrl !== undefined && { op_policy_uri: settings.privacyUrl },
    ...settings.termsUrl !== undefined && { op_tos_uri: settings.termsUrl },
  };
}

/** The path of the document about our own API. */
export const PROTECTED_RESOURCE_PATH = "/.well-known/oauth-protected-resource";

/** Returns what apps need to know about our own API. Source: RFC 9728, 2. */
export function protectedResource(config: Config): ProtectedResource {
  const { baseUrl, brand } = config;
  return {
    resource: baseUrl,
    resource_name: brand.name,
    authorization_servers: [baseUrl],
    scopes_supported: [
      ...SCOPES.filter((scope) => scope !== ADMIN_SCOPE && !isScopeOff(config, scope)),
      ...SERVICE_ONLY_SCOPES,
    ],
    bearer_methods_supported: ["header"],
    resource_documentation: `${baseUrl}/docs`,
  };
}
