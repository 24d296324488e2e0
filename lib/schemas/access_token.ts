import { z } from "zod";
import { lineOf } from "./text.ts";

/** A request for an access token, and the product that it is for. */
export const AccessTokenSchema = z.object({ audience: lineOf({ min: 1, max: 255 }) });
export type AccessTokenRequest = z.infer<typeof AccessTokenSchema>;

const FORM_MAX_BYTES = 64 * 1024;
/** The longest text that a form can carry. */
const Text = z.string().max(FORM_MAX_BYTES);

/** How an app says who it is. Forms of apps are described here, and read by the rules of OAuth. */
const Credentials = z.object({
  client_id: Text.optional().meta({ description: "Unless the header Authorization has it" }),
  client_secret: Text.optional(),
});

/** Source: RFC 6749, 4.1.3 and 6. */
export const TokenRequestForm = Credentials.extend({
  grant_type: z.enum(["authorization_code", "refresh_token"]),
  code: Text.optional(),
  redirect_uri: Text.optional().meta({ description: "The one of the authorization request" }),
  code_verifier: z.string().min(43).max(128).optional(),
  refresh_token: Text.optional(),
  scope: Text.optional().meta({ description: "A part of what was granted. Default: all of it" }),
  resource: Text.optional().meta({ description: "What the access token is for. Default: what was granted" }),
});

/** Source: RFC 7009, 2.1; RFC 7662, 2.1. */
export const TokenForm = Credentials.extend({ token: Text, token_type_hint: Text.optional() });
