import { z } from "zod";
import { Amount } from "./common.ts";

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
  picture: z.string().optional(),
  website: z.string().optional(),
  locale: z.string().optional(),
  updated_at: z.int().optional(),
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
  scope: z.string().optional(),
  iat: z.int().optional(),
  exp: z.int().optional(),
  jti: z.string().optional(),
  token_type: z.literal("Bearer").optional(),
});

/** Source: RFC 6749, 5.2. */
export const OAuthErrorView = z.object({ error: z.string(), error_description: z.string() });
