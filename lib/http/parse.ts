import type { z } from "zod";
import { AppError, type ErrorDetails, validationFailed } from "../errors.ts";
import { readBytes } from "./body.ts";

/** The longest body of a JSON request and of an ordinary form. */
export const BODY_MAX_BYTES = 64 * 1024;

/**
 * The JSON body of a request, checked.
 *
 * @throws {AppError} UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, INVALID_JSON (not UTF-8, not JSON or not an object),
 * VALIDATION_FAILED with messages by field.
 */
export async function parseJson<T>(req: Request, schema: z.ZodType<T>): Promise<T> {
  requireContentType(req, "application/json");
  return validate(schema, parseObject(await readText(req)));
}

/**
 * For requests that need no body: one that comes all the same must be JSON.
 *
 * @throws {AppError} as {@linkcode parseJson} does.
 */
export async function parseNoBody(req: Request): Promise<void> {
  if (req.body === null) return;
  const text = await readText(req);
  if (text === "") return;
  requireContentType(req, "application/json");
  parseObject(text);
}

/** The fields of a submitted form; of a repeated one the last. */
export type FormFields = Record<string, string>;

/**
 * The fields of an ordinary form, not yet checked.
 *
 * @throws {AppError} UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, INVALID_JSON (not UTF-8).
 */
export async function parseForm(req: Request): Promise<FormFields> {
  requireContentType(req, "application/x-www-form-urlencoded");
  const text = await readText(req);
  // URLSearchParams would put U+FFFD in the place of all bytes that are none.
  for (const [encoded] of text.matchAll(/(%[0-9a-f]{2})+/gi)) requireUtf8(() => decodeURIComponent(encoded));
  return Object.fromEntries(new URLSearchParams(text));
}

/**
 * The query of an address, checked; a parameter that stands there twice is refused.
 *
 * @throws {AppError} VALIDATION_FAILED with messages by parameter.
 */
export function parseQuery<T>(url: URL, schema: z.ZodType<T>): T {
  const names = [...url.searchParams.keys()];
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw validationFailed({ [repeated]: ["Must be given once"] });
  return validate(schema, Object.fromEntries(url.searchParams));
}

/**
 * The value as the schema makes it.
 *
 * @throws {AppError} VALIDATION_FAILED with messages by field.
 */
export function validate<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw validationFailed(detailsOf(result.error));
}

/** By way of a map: a name such as "constructor" is one that every object seems to have. */
function detailsOf(error: z.ZodError): ErrorDetails {
  const details = new Map<string, string[]>();
  for (const issue of error.issues) {
    const fields = issue.code === "unrecognized_keys" ? issue.keys : [String(issue.path[0] ?? "body")];
    for (const field of fields) details.set(field, [...details.get(field) ?? [], issue.message]);
  }
  return Object.fromEntries(details);
}

function requireContentType(req: Request, expected: string): void {
  const given = (req.headers.get("content-type") ?? "").split(";")[0].trim().toLowerCase();
  if (given === expected) return;
  throw new AppError("UNSUPPORTED_MEDIA_TYPE", `The content type must be ${expected}`);
}

async function readText(req: Request): Promise<string> {
  const bytes = await readBytes(req, { maxBytes: BODY_MAX_BYTES });
  return requireUtf8(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes));
}

function requireUtf8(decode: () => string): string {
  try {
    return decode();
  } catch (cause) {
    throw new AppError("INVALID_JSON", "The body is not valid UTF-8", { cause });
  }
}

function parseObject(text: string): object {
  const value = parseValue(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new AppError("INVALID_JSON", "The body must be a JSON object");
}

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError("INVALID_JSON", "The body is not valid JSON", { cause });
  }
}
