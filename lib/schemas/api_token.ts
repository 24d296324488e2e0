import { z } from "zod";
import { issueMessage } from "../problem.ts";
import { notLonger, notShorter, ONE_LINE, type TextRules } from "./rules.ts";
import { SCOPES, TOKEN_DAYS } from "./scopes.ts";
import { lineOf, text } from "./text.ts";

/** A name by which the owner recognizes a token. */
export const TOKEN_NAME: TextRules = { gate: [notLonger(100), ONE_LINE], rules: [notShorter(1)] };

const SCOPES_MAX = 100;
const DAYS_MESSAGE = issueMessage({ rule: "between", min: TOKEN_DAYS.min, max: TOKEN_DAYS.max });

/** A token to create. A scope that is listed twice counts once. */
export const ApiTokenSchema = z.object({
  name: text(TOKEN_NAME),
  scopes: z.array(z.enum(SCOPES, issueMessage({ rule: "scope" })), {
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
