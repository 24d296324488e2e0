import { type Context, page } from "fresh";
import type { PageResponse } from "fresh";
import type { z } from "zod";
import { AppError, type ErrorDetails } from "../errors.ts";
import { type FormFields, parseForm, validate } from "./parse.ts";
import type { State } from "./state.ts";

/** What a page with a form shows: what was typed, and what was wrong with it. */
export interface FormState {
  values: FormFields;
  message?: string;
  details: ErrorDetails;
}

/** A form that nobody has filled in yet. */
export const EMPTY_FORM: FormState = { values: {}, details: {} };

/**
 * Runs what a form was submitted for. What it throws that people can mend comes back as the page's data, with
 * what they typed (but no password) and the status of the error; anything else is thrown on.
 */
export async function submitForm<T>(
  ctx: Context<State>,
  schema: z.ZodType<T>,
  act: (input: T) => Promise<Response>,
): Promise<Response | PageResponse<FormState>> {
  const fields = await parseForm(ctx.req);
  try {
    return await act(validate(schema, fields));
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    const { password: _never, ...values } = fields;
    const { message, details, status } = error;
    return page({ values, message, details }, { status, headers: { "Cache-Control": "no-store" } });
  }
}
