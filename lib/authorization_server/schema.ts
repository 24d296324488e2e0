import { z } from "zod";
import { Amount } from "../schemas/views.ts";

/** The views of OAuth and OpenID Connect, whose names other software knows. */

/** Source: RFC 6749, 5.1; OpenID Connect Core, 3.1.3.3. */
export const TokenResponseView = z.object({
  access_token: z.string().meta({ description: "A JWT of the type at+jwt" }),
  token_type: z.literal("Bearer"),
  expires_in: Amount.meta({ description: "Seconds" }),
  scope: z.string(),
  id_token: z.string().optional(),
  refresh_token: z.string().optional(),
});

/** Source: OpenID Connect Core, 5.3.2. */
export const UserinfoView = z.object({
  sub: z.string(),
  name: z.string().optional(),
  given_name: z.string().optional(),
  picture: z.string().optional(),
  website: z.string().optional(),
  locale: z.string().optional(),
  updated_at: z.int().optional(),
  groups: z.array(z.string()).optional(),
  preferred_username: z.string().optional(),
  email: z.string().optional(),
  email_verified: z.boolean().optional(),
});

/** Source: RFC 7662, 2.2. */
export const IntrospectionView = z.object({
  active: z.boolean(),
  iss: z.string().optional(),
  sub: z.string().optional(),
  aud: z.string().optional(),
  client_id: z.string().optional(),
  username: z.string().optional(),
  scope: z.string().optional(),
  iat: z.int().optional(),
  exp: z.int().optional(),
  jti: z.string().optional(),
  token_type: z.literal("Bearer").optional(),
});

/** Source: RFC 6749, 5.2. */
export const OAuthErrorView = z.object({ error: z.string(), error_description: z.string() });

/** The documents that other software reads to find its way. */

const names = z.array(z.string());

const PublicKey = z.object({
  kty: z.enum(["EC", "RSA"]),
  kid: z.string(),
  use: z.literal("sig"),
  alg: z.enum(["ES256", "RS256"]),
  crv: z.string().optional(),
  x: z.string().optional(),
  y: z.string().optional(),
  n: z.string().optional(),
  e: z.string().optional(),
});

/** Source: RFC 7517, 5. */
export const PublicKeySet = z.object({ keys: z.array(PublicKey) });
export type PublicKeySet = z.infer<typeof PublicKeySet>;

/** Source: OpenID Connect Discovery 1.0, 3; RFC 8414, 2. */
export const DiscoveryDocument = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  userinfo_endpoint: z.string(),
  revocation_endpoint: z.string(),
  introspection_endpoint: z.string(),
  end_session_endpoint: z.string(),
  jwks_uri: z.string(),
  scopes_supported: names,
  response_types_supported: names,
  response_modes_supported: names,
  grant_types_supported: names,
  subject_types_supported: names,
  id_token_signing_alg_values_supported: names,
  token_endpoint_auth_methods_supported: names,
  revocation_endpoint_auth_methods_supported: names,
  introspection_endpoint_auth_methods_supported: names,
  code_challenge_methods_supported: names,
  authorization_response_iss_parameter_supported: z.boolean(),
  acr_values_supported: names,
  prompt_values_supported: names,
  claims_supported: names,
  ui_locales_supported: names,
  claims_parameter_supported: z.boolean(),
  request_parameter_supported: z.boolean(),
  request_uri_parameter_supported: z.boolean(),
  backchannel_logout_supported: z.boolean(),
  backchannel_logout_session_supported: z.boolean(),
  service_documentation: z.string(),
  op_policy_uri: z.string().optional(),
  op_tos_uri: z.string().optional(),
});
export type DiscoveryDocument = z.infer<typeof DiscoveryDocument>;
