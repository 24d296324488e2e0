import { z } from "zod";
import { lineOf, text } from "../schemas/text.ts";
import { issueMessage, shownEntry } from "../errors/problem.ts";
import { notLonger, notShorter, ONE_LINE, type TextRules } from "../schemas/rules.ts";
import { OFFERED_GRANT_TYPES } from "../config/registered_client.ts";
import { SCOPES, TOKEN_DAYS } from "../schemas/scopes.ts";
import { Amount, EntityId, like, listOf, Time } from "../schemas/views.ts";

/** A request for an access token, and the product that it is for. */
export const AccessTokenSchema = z.object({
  audience: lineOf({ min: 1, max: 255 }).meta({ sample: "https://wiki.example.com" }),
});
export type AccessTokenRequest = z.infer<typeof AccessTokenSchema>;

const FORM_MAX_BYTES = 64 * 1024;
/** The longest text that a form can carry. */
const Text = z.string().max(FORM_MAX_BYTES);

/** How an app says who it is. Forms of apps are described here, and read by the rules of OAuth. */
const Credentials = z.object({
  client_id: Text.optional().meta({ description: "Unless the header Authorization has it" }),
  client_secret: Text.optional(),
});

/** Source: RFC 6749, 4.1.3, 4.4.2 and 6; RFC 8628, 3.4. */
export const TokenRequestForm = Credentials.extend({
  grant_type: z.enum(OFFERED_GRANT_TYPES),
  code: Text.optional(),
  redirect_uri: Text.optional().meta({ description: "The one of the authorization request" }),
  code_verifier: z.string().min(43).max(128).optional(),
  refresh_token: Text.optional(),
  device_code: Text.optional(),
  scope: Text.optional().meta({
    description: "A part of what was granted, or of the app's own scopes with `client_credentials`. Default: all of it",
  }),
  resource: Text.optional().meta({
    description: "What the access token is for. Default: what was granted; with `client_credentials`, this service",
  }),
}).meta({
  sample: {
    grant_type: "authorization_code",
    code: "Wm9lX2V4YW1wbGVfY29kZV9mb3JfYW5fYXBwX18wMDE",
    redirect_uri: "https://wiki.example.com/callback",
    code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
  },
});

/** Source: RFC 8628, 3.1. */
export const DeviceAuthorizationForm = Credentials.extend({
  scope: Text.optional().meta({ sample: "openid profile" }),
  resource: Text.optional().meta({ description: "The API that the access tokens are for" }),
}).meta({ sample: { client_id: "wiki-cli", scope: "openid profile" } });

/** Source: RFC 7009, 2.1; RFC 7662, 2.1. */
export const TokenForm = Credentials.extend({
  token: Text.meta({ sample: "foyer_r_..." }),
  token_type_hint: Text.optional(),
});

/** A name by which the owner recognizes a token. */
const TOKEN_NAME: TextRules = { gate: [notLonger(100), ONE_LINE], rules: [notShorter(1)] };

const SCOPES_MAX = 100;
const DAYS_MESSAGE = issueMessage({ rule: "between", min: TOKEN_DAYS.min, max: TOKEN_DAYS.max });

/** A token to create. A scope that is listed twice counts once. */
export const ApiTokenSchema = z.object({
  name: text(TOKEN_NAME, { sample: "Backup" }),
  scopes: z.array(z.enum(SCOPES, { error: ({ input }) => issueMessage({ rule: "scope", scope: shownEntry(input) }) }), {
    error: ({ input }) => issueMessage({ rule: input === undefined ? "required" : "scopeList" }),
  })
    .min(1, issueMessage({ rule: "scopes" })).max(SCOPES_MAX, issueMessage({ rule: "tooManyScopes", max: SCOPES_MAX }))
    .transform((scopes) => SCOPES.filter((scope) => scopes.includes(scope))),
  expiresInDays: z.int(DAYS_MESSAGE).min(TOKEN_DAYS.min, DAYS_MESSAGE).max(
    TOKEN_DAYS.max,
    DAYS_MESSAGE,
  )
    .default(TOKEN_DAYS.default),
});
export type NewApiToken = z.infer<typeof ApiTokenSchema>;

/** The form that creates a token: each scope is a checkbox of its own. */
export const ApiTokenFormSchema = z.preprocess(
  (fields: Record<string, unknown>) => ({
    tokenName: fields.tokenName,
    scopes: SCOPES.filter((scope) => Object.hasOwn(fields, scope)),
    expiresInDays: Number(fields.expiresInDays),
  }),
  z.object({
    tokenName: ApiTokenSchema.shape.name,
    scopes: ApiTokenSchema.shape.scopes,
    expiresInDays: ApiTokenSchema.shape.expiresInDays,
  }),
);

/** The form that deletes a token. The id may be any text: an unknown one is not found. */
export const TokenDeletionFormSchema = z.object({ id: lineOf({ max: 64 }) });

/** An API token as its owner sees it. */
export const ApiTokenView = z.object({
  id: EntityId,
  name: like("Backup"),
  scopes: z.array(z.enum(SCOPES)),
  hint: like("foyer_Ab12…").meta({ description: "The start of the token" }),
  createdAt: Time,
  expiresAt: Time,
  lastUsedAt: Time.nullable(),
});
export type ApiTokenView = z.infer<typeof ApiTokenView>;

export const ApiTokenList = listOf(ApiTokenView);
/** The only response that contains the token itself. */
export const CreatedApiToken = z.object({ data: ApiTokenView, token: like("foyer_...") });

/** A token with which a browser app shows a product who uses it. Source: RFC 6749, 5.1. */
export const AccessTokenView = z.object({
  accessToken: like("eyJ...").meta({ description: "A JWT that the keys at `/.well-known/jwks.json` verify" }),
  tokenType: z.literal("Bearer"),
  expiresIn: Amount.meta({ description: "Seconds", sample: 300 }),
});
export type AccessTokenView = z.infer<typeof AccessTokenView>;
