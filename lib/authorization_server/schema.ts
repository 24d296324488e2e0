import { z } from "zod";
import { Amount, like } from "../schemas/views.ts";

/** The views of OAuth and OpenID Connect, whose names other software knows. */

/** The address of this service, and the id of a user, in examples. */
const ISSUER = "https://foyer.example";
const USER_ID = "019ca953-9e80-7000-8000-000000000001";

/** Source: RFC 6749, 5.1; OpenID Connect Core, 3.1.3.3. */
export const TokenResponseView = z.object({
  access_token: like("eyJ...").meta({ description: "A JWT of the type at+jwt" }),
  token_type: z.literal("Bearer"),
  expires_in: Amount.meta({ description: "Seconds", sample: 300 }),
  scope: like("openid profile"),
  id_token: like("eyJ...").optional(),
  refresh_token: like("foyer_r_...").optional(),
});

/** Source: RFC 8628, 3.2. */
export const DeviceAuthorizationView = z.object({
  device_code: like("GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS-0"),
  user_code: like("WDJB-MJHT").meta({ description: "What the person types at `verification_uri`" }),
  verification_uri: like(`${ISSUER}/device`),
  expires_in: Amount.meta({ description: "Seconds", sample: 600 }),
  interval: Amount.meta({ description: "Seconds to wait between two requests for tokens", sample: 5 }),
});

/** Source: OpenID Connect Core, 5.3.2. */
export const UserinfoView = z.object({
  sub: like(USER_ID),
  name: like("Ada Lovelace").optional(),
  given_name: like("Ada Lovelace").optional(),
  picture: z.string().optional(),
  website: z.string().optional(),
  locale: z.string().optional(),
  updated_at: z.int().optional(),
  groups: z.array(like("staff")).optional(),
  preferred_username: z.string().optional(),
  email: like("ada@example.com").optional(),
  email_verified: z.boolean().optional(),
});

/** Source: RFC 7662, 2.2. */
export const IntrospectionView = z.object({
  active: z.boolean(),
  iss: like(ISSUER).optional(),
  sub: like(USER_ID).meta({ description: "The person; for an app that acts as itself, `client:` and its id" })
    .optional(),
  aud: like(ISSUER).optional(),
  client_id: like("wiki").optional(),
  username: like("ada@example.com").optional(),
  scope: like("openid profile").optional(),
  iat: z.int().optional(),
  exp: z.int().optional(),
  jti: z.string().optional(),
  token_type: z.literal("Bearer").optional(),
});

/** Source: RFC 6749, 5.2. */
export const OAuthErrorView = z.object({ error: z.string(), error_description: z.string() });

/** The documents that other software reads to find its way. */

/** A list of names such as these. */
function names(...examples: string[]) {
  return z.array(z.string()).meta({ sample: examples });
}

const PublicKey = z.object({
  kty: z.enum(["EC", "RSA"]),
  kid: like("019ca953-9e80-7000-8000-000000000001"),
  use: z.literal("sig"),
  alg: z.enum(["ES256", "RS256"]),
  crv: like("P-256").optional(),
  x: like("p4Rq...").optional(),
  y: like("p4Rq...").optional(),
  n: z.string().optional(),
  e: z.string().optional(),
});

/** Source: RFC 7517, 5. */
export const PublicKeySet = z.object({ keys: z.array(PublicKey) });
export type PublicKeySet = z.infer<typeof PublicKeySet>;

/** Source: OpenID Connect Discovery 1.0, 3; RFC 8414, 2. */
export const DiscoveryDocument = z.object({
  issuer: like(ISSUER),
  authorization_endpoint: like(`${ISSUER}/oauth/authorize`),
  token_endpoint: like(`${ISSUER}/oauth/token`),
  userinfo_endpoint: like(`${ISSUER}/oauth/userinfo`),
  revocation_endpoint: like(`${ISSUER}/oauth/revoke`),
  introspection_endpoint: like(`${ISSUER}/oauth/introspect`),
  end_session_endpoint: like(`${ISSUER}/oauth/logout`),
  device_authorization_endpoint: like(`${ISSUER}/oauth/device_authorization`),
  jwks_uri: like(`${ISSUER}/.well-known/jwks.json`),
  scopes_supported: names("openid", "profile", "email", "offline_access"),
  response_types_supported: names("code"),
  response_modes_supported: names("query"),
  grant_types_supported: names("authorization_code", "refresh_token"),
  subject_types_supported: names("public"),
  id_token_signing_alg_values_supported: names("RS256", "ES256"),
  token_endpoint_auth_methods_supported: names("client_secret_basic", "client_secret_post", "none"),
  revocation_endpoint_auth_methods_supported: names("client_secret_basic", "client_secret_post", "none"),
  introspection_endpoint_auth_methods_supported: names("client_secret_basic", "client_secret_post"),
  code_challenge_methods_supported: names("S256"),
  authorization_response_iss_parameter_supported: z.boolean(),
  acr_values_supported: names("1", "2"),
  prompt_values_supported: names("none", "login", "consent"),
  claims_supported: names("sub", "name", "email"),
  ui_locales_supported: names("en", "de", "ar"),
  claims_parameter_supported: z.boolean(),
  request_parameter_supported: z.boolean(),
  request_uri_parameter_supported: z.boolean(),
  backchannel_logout_supported: z.boolean(),
  backchannel_logout_session_supported: z.boolean(),
  client_id_metadata_document_supported: z.boolean(),
  service_documentation: like(`${ISSUER}/docs`),
  op_policy_uri: z.string().optional(),
  op_tos_uri: z.string().optional(),
});
export type DiscoveryDocument = z.infer<typeof DiscoveryDocument>;

/** Source: RFC 9728, 2. */
export const ProtectedResource = z.object({
  resource: like(ISSUER),
  resource_name: like("Foyer"),
  authorization_servers: names(ISSUER),
  scopes_supported: names("profile:read", "users:read"),
  bearer_methods_supported: names("header"),
  resource_documentation: like(`${ISSUER}/docs`),
});
export type ProtectedResource = z.infer<typeof ProtectedResource>;
