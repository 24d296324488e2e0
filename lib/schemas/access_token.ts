import { z } from "zod";
import { lineOf } from "./text.ts";

/** A request for an access token, and the product that it is for. */
export const AccessTokenSchema = z.object({ audience: lineOf({ min: 1, max: 255 }) });
export type AccessTokenRequest = z.infer<typeof AccessTokenSchema>;

/** How an app says who it is. Forms of apps are described here, and read by the rules of OAuth. */
const Credentials = z.object({
  client_id: z.string().optional().meta({ description: "Unless the header Authorization has it" }),
  client_secret: z.string().optional(),
});

/** Source: RFC 6749, 4.1.3 and 6. */
export const TokenRequestForm = Credentials.extend({
  grant_type: z.enum(["authorization_code", "refresh_token"]),
  code: z.string().optional(),
  redirect_uri: z.string().optional(),
  code_verifier: z.string().optional(),
  refresh_token: z.string().optional(),
  scope: z.string().optional(),
  resource: z.string().optional(),
});

/** Source: RFC 7009, 2.1; RFC 7662, 2.1. */
export const TokenForm = Credentials.extend({ token: z.string(), token_type_hint: z.string().optional() });
