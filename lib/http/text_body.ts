import { AppError } from "../errors/errors.ts";
import { readBytes } from "./body.ts";
import { decodeObject, decodeText, requireUtf8 } from "./decode.ts";

/** The longest body of a JSON request and of an ordinary form. */
export const BODY_MAX_BYTES = 64 * 1024;

/**
 * Reads the JSON body of a request, without looking at it.
 *
 * @throws {AppError} UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE.
 */
export async function readJson(req: Request): Promise<Uint8Array<ArrayBuffer>> {
  requireContentType(req, "application/json");
  return await readSmall(req);
}

/**
 * Does the same for a request that needs no body. Without one, it returns an empty object.
 *
 * @throws {AppError} UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE.
 */
export async function readOptionalJson(req: Request): Promise<Uint8Array<ArrayBuffer>> {
  const body = req.body === null ? new Uint8Array() : await readSmall(req);
  if (body.length === 0) return new TextEncoder().encode("{}");
  requireContentType(req, "application/json");
  return body;
}

/**
 * Parses a request that needs no body. A body that is sent anyway must be JSON.
 *
 * @throws {AppError} UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, INVALID_JSON.
 */
export async function parseNoBody(req: Request): Promise<void> {
  if (req.body === null) return;
  const body = await readSmall(req);
  if (body.length === 0) return;
  requireContentType(req, "application/json");
  decodeObject(body);
}

/** More than any of our forms has. */
const FORM_MAX_FIELDS = 64;

/** The fields of a submitted form. For a repeated field, the last value. */
export type FormFields = Record<string, string>;

/**
 * Parses the fields of an ordinary form without validating them.
 *
 * @throws {AppError} UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, INVALID_JSON (not UTF-8), VALIDATION_FAILED.
 */
export async function parseForm(req: Request): Promise<FormFields> {
  return Object.fromEntries(await parseFormPairs(req));
}

/**
 * Parses the same form with a field of several choices, whose checkboxes all have its name and `[]`. The result has
 * them under its name, with spaces between them.
 *
 * @throws {AppError} as {@linkcode parseForm} does.
 */
export async function parseFormWithList(req: Request, name: string): Promise<FormFields> {
  const pairs = await parseFormPairs(req);
  const [chosen, others] = [true, false].map((is) => pairs.filter(([each]) => (each === `${name}[]`) === is));
  return { ...Object.fromEntries(others), [name]: chosen.map(([, value]) => value).join(" ") };
}

/**
 * Parses the same form, and keeps repeated fields.
 *
 * @throws {AppError} as {@linkcode parseForm} does.
 */
export async function parseFormPairs(req: Request): Promise<[name: string, value: string][]> {
  requireContentType(req, "application/x-www-form-urlencoded");
  const text = decodeText(await readSmall(req));
  // URLSearchParams would replace invalid UTF-8 with U+FFFD, so different passwords could become equal.
  for (const [encoded] of text.matchAll(/(%[0-9a-f]{2})+/gi)) requireUtf8(() => decodeURIComponent(encoded));
  const fields = new URLSearchParams(text);
  if (fields.size > FORM_MAX_FIELDS) throw new AppError("VALIDATION_FAILED", { reason: "formFields" });
  return [...fields];
}

function requireContentType(req: Request, expected: string): void {
  const given = (req.headers.get("content-type") ?? "").split(";")[0].trim().toLowerCase();
  if (given === expected) return;
  throw new AppError("UNSUPPORTED_MEDIA_TYPE", { reason: "type", expected });
}

async function readSmall(req: Request): Promise<Uint8Array<ArrayBuffer>> {
  return await readBytes(req, { maxBytes: BODY_MAX_BYTES });
}
