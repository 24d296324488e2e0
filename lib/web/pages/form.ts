import { type Context, page, type PageResponse } from "fresh";
import type { z } from "zod";
import { MINUTE_SECONDS } from "../../duration.ts";
import { AppError, type ErrorCode } from "../../errors/errors.ts";
import { Email, Token } from "../../schemas/user.ts";
import { type FieldErrors, fieldErrors } from "../../texts/field_errors.ts";
import { formTexts } from "../../texts/form_texts.ts";
import { type Language, type Texts, textsIn } from "../../texts/texts.ts";
import { errorHeaders } from "../../http/error_body.ts";
import { isMultipart, type MultipartForm, parseMultipart } from "../../http/multipart.ts";
import { validate } from "../../http/parse.ts";
import { type FormFields, parseForm } from "../../http/text_body.ts";
import type { ImageStaging } from "../../uploads/image.ts";
import { IMAGE_MAX_BYTES } from "../../uploads/rules.ts";
import { providerName } from "../../accounts/identities.ts";
import { noteRefusal } from "../refusal.ts";
import type { Config } from "../../config/config.ts";
import type { Policy } from "../../config/limits.ts";
import { readFormUnderLimit, underLimit } from "../middleware/rate_limit.ts";
import type { State } from "../state.ts";
import { submitOnce } from "../idempotency/submit_once.ts";
import { whomToAsk } from "./whom_to_ask.ts";

/** The values that a form shows, and the errors of its last submission. */
export interface FormState {
  values: FormFields;
  /** The error, or the heading above the errors of single fields; undefined if there are none. */
  message?: string;
  details: FieldErrors;
  /** The code of the error. */
  code?: ErrorCode;
}

/** A form that has not been submitted. */
export const EMPTY_FORM: FormState = { values: {}, details: {} };

/**
 * The form behind a link, filled with the address and the token that the link carries. Leaves out values that our links
 * cannot contain: otherwise anyone could craft a link that makes the page show their text.
 */
export function linkForm({ search, searchParams }: URL): FormState {
  // Refusing absent values takes longer than the rest of the form.
  if (search === "") return { ...EMPTY_FORM, values: { email: "", token: "" } };
  const email = Email.safeParse(searchParams.get("email")).data ?? "";
  const token = email && (Token.safeParse(searchParams.get("token")).data ?? "");
  return { ...EMPTY_FORM, values: { email, token } };
}

/** The form behind a link that carries only a token. */
export function tokenForm({ searchParams }: URL): FormState {
  return { ...EMPTY_FORM, values: { token: Token.safeParse(searchParams.get("token")).data ?? "" } };
}

export interface FormOptions<T = never> {
  /** Default: parses a URL-encoded form. `received` may collect the fields before one that is refused. */
  parse?: (req: Request, received: Map<string, MultipartForm[string]>) => Promise<MultipartForm>;
  /** Whether the action may give the session a new token. */
  renewsSession?: boolean;
  /** The policy of an input that does not count under the one of its page. */
  policy?(input: T): Policy | undefined;
  /** The field that shows the errors with a text of their own. Default: they appear above the form. */
  field?: string;
  /**
   * The page's own text for an error, or a heading and texts below it. Default: the text of its code in the catalog.
   */
  errorText?(error: AppError, texts: Texts, fields: MultipartForm): string | string[] | undefined;
  /** Whether the page explains an error with a status of 500 or more. Without it, such an error is thrown. */
  isExplained?(error: AppError): boolean;
  /** Redirects when the error is better fixed on another page. */
  redirectOnError?(error: AppError, values: FormFields): Response | null;
}

/**
 * Validates a submitted form and runs `act` on its input, once, under the limit of its page. On a client error, it
 * shows the page again with the submitted values (except secrets), the error texts, and the error's status.
 *
 * @throws errors with a status of 500 or more that the page does not explain.
 */
export async function submitForm<T>(
  ctx: Context<State>,
  schema: z.ZodType<T>,
  act: (input: T, fields: MultipartForm) => Promise<Response>,
  options: FormOptions<T> = {},
): Promise<Response | PageResponse<FormState>> {
  const limitedAct = (input: T, fields: MultipartForm) =>
    underLimit(ctx, () => act(input, fields), options.policy?.(input));
  return await submitUnlimitedForm(ctx, schema, limitedAct, options);
}

/** The same for an `act` that counts the request itself, with `underLimit`. */
export async function submitUnlimitedForm<T>(
  ctx: Context<State>,
  schema: z.ZodType<T>,
  act: (input: T, fields: MultipartForm) => Promise<Response>,
  options: Omit<FormOptions<T>, "policy"> = {},
): Promise<Response | PageResponse<FormState>> {
  const { parse = parseForm, redirectOnError, renewsSession } = options;
  const received = new Map<string, MultipartForm[string]>();
  let fields: MultipartForm | undefined;
  try {
    const form = fields = await parse(ctx.req, received);
    const input = validate(schema, form);
    return await submitOnce(ctx, form, () => act(input, form), { renewsSession });
  } catch (error) {
    if (!(error instanceof AppError) || (error.status >= 500 && !options.isExplained?.(error))) throw error;
    if (error.is("SECOND_FACTOR_SETUP_REQUIRED")) throw error; // the same page for all forms
    await noteRefusal(ctx, error);
    fields ??= Object.fromEntries(received);
    const values = retainedValues(fields);
    const { language, services: { config } } = ctx.state;
    const errors = formErrors(error, { ...options, fields, language, config });
    return redirectOnError?.(error, values) ??
      page({ values, code: error.code, ...errors }, { status: error.status, headers: errorHeaders(error) });
  }
}

/** Fields with a password or a proof. A page never shows them again. */
const SECRET_FIELD = /password|^proof_/i;

/** The submitted texts that the page shows again: all but secrets. */
function retainedValues(fields: MultipartForm): FormFields {
  const retained = Object.entries(fields).filter(([name, value]) =>
    !SECRET_FIELD.test(name) && typeof value === "string"
  );
  return Object.fromEntries(retained) as FormFields;
}

/** Returns a parser of a form with an image, whose bytes count under the limit of images before they are read. */
export function imageFormParser(
  ctx: Context<State>,
  { stage }: Pick<ImageStaging, "stage">,
): NonNullable<FormOptions["parse"]> {
  return (req, form) =>
    isMultipart(req)
      ? readFormUnderLimit(ctx, {
        policy: "image",
        stage,
        read: (stage) => parseMultipart(req, { maxFileBytes: IMAGE_MAX_BYTES, stage, form }),
      })
      : parseForm(req);
}

interface FormErrorsOptions extends Pick<FormOptions, "errorText" | "field"> {
  fields: MultipartForm;
  language: Language;
  config: Config;
}

function formErrors(error: AppError, options: FormErrorsOptions): Pick<FormState, "message" | "details"> {
  const { fields, language, config, errorText = () => undefined } = options;
  const texts = textsIn(language);
  if (error.is("VALIDATION_FAILED") && error.data.reason === "fields") {
    const details = {
      ...filesToChooseAgain(fields, texts),
      ...fieldErrors(formTexts(language), error.data.fields, fields),
    };
    return { message: texts.errors.checkFields, details };
  }
  const ownText = errorText(error, texts, fields);
  // No limit is about a field.
  const field = error.field ?? (ownText && error.code !== "RATE_LIMITED" ? options.field : undefined);
  const ask = error.code === "ACCOUNT_SUSPENDED" ? ` ${whomToAsk(texts, config)}` : "";
  const text = ownText ?? providerText(error, texts, config) ?? catalogText(error, texts) + ask;
  if (field === undefined) return { message: [text].flat().join(" "), details: filesToChooseAgain(fields, texts) };
  const [message, ...found] = typeof text === "string" ? [texts.errors.checkFields, text] : text;
  return { message, details: { [field]: found } };
}

function providerText(error: AppError, { errors }: Texts, config: Config): string | undefined {
  if (!error.is("PROVIDER_REQUIRED")) return undefined;
  return errors.providerRequired({ provider: providerName(config, error.data.provider) });
}

/** No page can show a chosen file again. */
function filesToChooseAgain(fields: MultipartForm, { serverRules }: Texts): FieldErrors {
  const files = Object.entries(fields).filter(([, value]) => typeof value === "object");
  return Object.fromEntries(files.map(([name]) => [name, [serverRules.chooseAgain]]));
}

/** The text of an error on all pages. */
export function catalogText(error: AppError, { errors }: Texts): string {
  if (error.code === "RATE_LIMITED") return errors.rateLimited({ minutes: retryAfterMinutes(error) });
  const byCode: Partial<Record<ErrorCode, string>> = errors.byCode;
  return byCode[error.code] ?? errors.other;
}

/** The minutes until a rate limit ends, rounded up. */
export function retryAfterMinutes({ retryAfterSeconds = MINUTE_SECONDS }: AppError): number {
  return Math.ceil(retryAfterSeconds / MINUTE_SECONDS);
}
