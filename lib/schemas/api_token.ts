import { z } from "zod";
import { notLonger, notShorter, ONE_LINE, REQUIRED, type TextRules } from "./rules.ts";
import { SCOPES } from "./scopes.ts";
import { text } from "./text.ts";

/** The name of a token, with which its owner recognizes it. */
export const TOKEN_NAME: TextRules = { gate: [notLonger(100), ONE_LINE], rules: [notShorter(1)] };

/** How long a token lasts. */
export const TOKEN_DAYS = { min: 1, max: 365, default: 90 };
const DAYS_MESSAGE = `Must be a whole number from ${TOKEN_DAYS.min} to ${TOKEN_DAYS.max}`;

/** What is reported about a token without a scope. */
export const SCOPES_REQUIRED = "Choose at least one scope";
const SCOPES_MAX = 100;

/** A token to create. A scope that is listed twice counts once. */
export const ApiTokenSchema = z.object({
  name: text(TOKEN_NAME),
  scopes: z.array(z.enum(SCOPES, "Is not a known scope"), {
    error: ({ input }) => input === undefined ? REQUIRED : "Must be a list of scopes",
  })
    .min(1, SCOPES_REQUIRED).max(SCOPES_MAX, `Must contain at most ${SCOPES_MAX} scopes`)
    .transform((scopes) => SCOPES.filter((scope) => scopes.includes(scope))),
  expiresInDays: z.int(DAYS_MESSAGE).min(TOKEN_DAYS.min, DAYS_MESSAGE).max(TOKEN_DAYS.max, DAYS_MESSAGE)
    .default(TOKEN_DAYS.default),
});
export type NewApiToken = z.infer<typeof ApiTokenSchema>;
