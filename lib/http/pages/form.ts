import { type Context, page } from "fresh";
import type { PageResponse } from "fresh";
import type { z } from "zod";
import { AppError, type ErrorDetails } from "../../errors.ts";
import { CHECK_FIELDS, FILE_TOO_LARGE, FORM_TOO_LARGE, forPeople, tooManyAttempts } from "../../schemas/messages.ts";
import { Email, Token } from "../../schemas/user.ts";
import { errorHeaders } from "../error_body.ts";
import type { MultipartForm } from "../input/multipart.ts";
import { type FormFields, parseForm, validate } from "../input/parse.ts";
import type { State } from "../state.ts";
import { submitOnce } from "./submit_once.ts";

/** What a page with a form shows: what was typed, and what was wrong with it. */
export interface FormState {
  values: FormFields;
  message?: string;
  details: ErrorDetails;
}

/** A form that nobody has filled in yet. */
export const EMPTY_FORM: FormState = { values: {}, details: {} };

/**
 * The form behind an emailed link, filled with its address and token. What could not be in a link of ours is left out:
 * otherwise anyone could make the page show any text.
 */
export function linkForm({ searchParams }: URL): FormState {
  const email = Email.safeParse(searchParams.get("email")).data ?? "";
  const token = email && (Token.safeParse(searchParams.get("token")).data ?? "");
  return { ...EMPTY_FORM, values: { email, token } };
}

export interface FormOptions {
  /** By default an ordinary form. */
  parse?: (req: Request) => Promise<MultipartForm>;
  /** The field that errors without one are about. */
  field?: string;
  /** Where an error is better mended on another page. */
  leadOn?(error: AppError, values: FormFields): Response | null;
  /** What people can do instead of waiting, once the limit is used up. */
  whenLimited?: string;
}

/**
 * Runs what a form was submitted for, once. What it throws that people can mend comes back as the page's data, with
 * what they typed (but no password) and the status of the error; anything else is thrown on.
 */
export async function submitForm<T>(
  ctx: Context<State>,
  schema: z.ZodType<T>,
  act: (input: T) => Promise<Response>,
  { parse = parseForm, field, leadOn, whenLimited }: FormOptions = {},
): Promise<Response | PageResponse<FormState>> {
  let fields: MultipartForm = {};
  try {
    fields = await parse(ctx.req);
    const input = validate(schema, fields);
    return await submitOnce(ctx, fields, () => act(input));
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    const values = shownAgain(fields);
    return leadOn?.(error, values) ??
      page({ values, ...told(error, { fields, field, whenLimited }) }, {
        status: error.status,
        headers: errorHeaders(error),
      });
  }
}

function shownAgain(fields: MultipartForm): FormFields {
  const texts = Object.entries(fields).filter(([name, value]) => name !== "password" && typeof value === "string");
  return Object.fromEntries(texts) as FormFields;
}

function told(
  error: AppError,
  { fields, field, whenLimited }: { fields: MultipartForm; field?: string; whenLimited?: string },
): Omit<FormState, "values"> {
  const { code, details } = error;
  const message = code === "RATE_LIMITED" ? limitText(error, whenLimited) : error.message;
  if (code === "VALIDATION_FAILED" && Object.keys(details).length > 0) {
    return { message: CHECK_FIELDS, details: forPeople(details, fields) };
  }
  if (field === undefined) return { message: code === "PAYLOAD_TOO_LARGE" ? FORM_TOO_LARGE : message, details };
  return { message: CHECK_FIELDS, details: { [field]: [code === "PAYLOAD_TOO_LARGE" ? FILE_TOO_LARGE : message] } };
}

function limitText({ retryAfterSeconds = 0 }: AppError, alternative?: string): string {
  return tooManyAttempts(retryAfterSeconds) + (alternative === undefined ? "" : `, or ${alternative}`);
}
