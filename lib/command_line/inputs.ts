import { z } from "zod";
import { issueMessage } from "../errors/problem.ts";
import { lineOf } from "../schemas/text.ts";

const LIMIT_MAX = 100_000;
const LIMIT_MESSAGE = issueMessage({ rule: "between", min: 1, max: LIMIT_MAX });

/** The address or the id of an account. */
export const Who = lineOf({ max: 300 });

/** How many lines to print at most. */
export const Limit = z.string().regex(/^[0-9]{1,6}$/, LIMIT_MESSAGE).transform(Number)
  .refine((limit) => limit >= 1 && limit <= LIMIT_MAX, LIMIT_MESSAGE).default(100);

/** The argument that names an account. */
export const WHO = { who: "an email address or the id of an account" };

/** The option that says why. */
export const REASON_OPTION = {
  flags: "--reason <text>",
  description: "why, for other operators: the person does not see it",
  isRequired: true,
} as const;

/** The option that sets a number of lines. */
export const LIMIT_OPTION = { flags: "--limit <number>", description: "how many to print at most (default: 100)" };
