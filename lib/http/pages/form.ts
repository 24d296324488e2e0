import { type Context, page } from "fresh";
import type { PageResponse } from "fresh";
import type { z } from "zod";
import { MINUTE_SECONDS } from "../../duration.ts";
import { AppError, type ErrorDetails } from "../../errors.ts";
import { Email, Token } from "../../schemas/user.ts";
import { fieldErrors } from "../../words/field_errors.ts";
import { type Words, wordsIn } from "../../words/words.ts";
import { errorHeaders } from "../error_body.ts";
import type { MultipartForm } from "../input/multipart.ts";
import { type FormFields, parseForm, validate } from "../input/parse.ts";
import type { State } from "../state.ts";
import { submitOnce } from "./submit_once.ts";

/** The values that a form shows, and the errors of its last submission. */
export interface FormState {
  values: FormFields;
  /** The error, or the heading above the errors of single fields; undefined if there are none. */
  message?: string;
  details: ErrorDetails;
}

/** A form that has not been submitted. */
export const EMPTY_FORM: FormState = { values: {}, details: {} };

/**
 * The form behind an emailed link, filled with its address and token. Leaves out values that our links cannot contain:
 * otherwise anyone could craft a link that makes the page show their text.
 */
export function linkForm({ searchParams }: URL): FormState {
  const email = Email.safeParse(searchParams.get("email")).data ?? "";
  const token = email && (Token.safeParse(searchParams.get("token")).data ?? "");
  return { ...EMPTY_FORM, values: { email, token } };
}

export interface FormOptions {
  /** Default: parses a URL-encoded form. */
  parse?: (req: Request) => Promise<MultipartForm>;
  /** The field that shows errors which name no field. Default: they appear above the form. */
  field?: string;
  /** The page's own text for an error. Default: the text of its code in the catalogue. */
  errorText?(error: AppError, words: Words, fields: MultipartForm): string | undefined;
  /** Redirects when the error is better fixed on another page. */
  redirectOnError?(error: AppError, values: FormFields): Response | null;
}

/**
 * Validates a submitted form and runs `act` on its input, once. On a client error, it shows the page again with the
 * submitted values (except the password), the error texts, and the error's status.
 *
 * @throws errors with a status of 500 or more.
 */
export async function submitForm<T>(
  ctx: Context<State>,
  schema: z.ZodType<T>,
  act: (input: T) => Promise<Response>,
  options: FormOptions = {},
): Promise<Response | PageResponse<FormState>> {
  const { parse = parseForm, redirectOnError } = options;
  let fields: MultipartForm = {};
  try {
    fields = await parse(ctx.req);
    const input = validate(schema, fields);
    return await submitOnce(ctx, fields, () => act(input));
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    const values = retainedValues(fields);
    const errors = formErrors(error, { ...options, fields, words: wordsIn(ctx.state.language) });
    return redirectOnError?.(error, values) ??
      page({ values, ...errors }, { status: error.status, headers: errorHeaders(error) });
  }
}

/** The submitted texts that the page shows again: all but the password. */
function retainedValues(fields: MultipartForm): FormFields {
  const texts = Object.entries(fields).filter(([name, value]) => name !== "password" && typeof value === "string");
  return Object.fromEntries(texts) as FormFields;
}

interface FormErrorsOptions extends FormOptions {
  fields: MultipartForm;
  words: Words;
}

function formErrors(error: AppError, options: FormErrorsOptions): Pick<FormState, "message" | "details"> {
  const { fields, words, errorText = () => undefined } = options;
  const errorFields = Object.keys(error.details);
  if (error.code === "VALIDATION_FAILED" && errorFields.length > 0) {
    return { message: words.errors.checkFields, details: fieldErrors(words.rules, error.details, fields) };
  }
  const text = errorText(error, words, fields) ?? catalogueText(error, words);
  const [field = options.field] = errorFields;
  if (field === undefined) return { message: text, details: {} };
  return { message: words.errors.checkFields, details: { [field]: [text] } };
}

function catalogueText(error: AppError, { errors }: Words): string {
  return error.code === "RATE_LIMITED"
    ? errors.rateLimited(retryAfterMinutes(error))
    : errors.byCode[error.code] ?? errors.other;
}

/** The minutes until a rate limit ends, rounded up. */
export function retryAfterMinutes({ retryAfterSeconds = MINUTE_SECONDS }: AppError): number {
  return Math.ceil(retryAfterSeconds / MINUTE_SECONDS);
}
