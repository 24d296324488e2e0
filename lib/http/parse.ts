import type { z } from "zod";
import { AppError, validationFailed } from "../errors.ts";
import { type FieldProblems, type Problem, problemOfIssue } from "../problem.ts";
import { readBytes } from "./body.ts";

/** The longest body of a JSON request and of an ordinary form. */
export const BODY_MAX_BYTES = 64 * 1024;

/**
 * Reads the JSON body of a request, without looking at it.
 *
 * @throws {AppError} UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE.
 */
export async function readJson(req: Request): Promise<Uint8Array<ArrayBuffer>> {
  requireContentType(req, "application/json");
  return await readBytes(req, { maxBytes: BODY_MAX_BYTES });
}

/**
 * Decodes and validates a JSON body.
 *
 * @throws {AppError} INVALID_JSON (not UTF-8, not JSON or not an object), VALIDATION_FAILED with problems by field.
 */
export function decodeJson<T>(body: Uint8Array<ArrayBuffer>, schema: z.ZodType<T>): T {
  return validate(schema, parseObject(decodeText(body)));
}

/**
 * Parses a request that needs no body. A body that is sent anyway must be JSON.
 *
 * @throws {AppError} as {@linkcode readJson} and {@linkcode decodeJson} do.
 */
export async function parseNoBody(req: Request): Promise<void> {
  if (req.body === null) return;
  const text = await readText(req);
  if (text === "") return;
  requireContentType(req, "application/json");
  parseObject(text);
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
  requireContentType(req, "application/x-www-form-urlencoded");
  const text = await readText(req);
  // URLSearchParams would replace invalid UTF-8 with U+FFFD, so different passwords could become equal.
  for (const [encoded] of text.matchAll(/(%[0-9a-f]{2})+/gi)) requireUtf8(() => decodeURIComponent(encoded));
  const fields = new URLSearchParams(text);
  if (fields.size > FORM_MAX_FIELDS) throw new AppError("VALIDATION_FAILED", { reason: "formFields" });
  return Object.fromEntries(fields);
}

/** More than any of our queries has. */
const QUERY_MAX_PARAMETERS = 16;

/**
 * Parses and validates the query of an API request. A repeated parameter is refused.
 *
 * @throws {AppError} VALIDATION_FAILED with problems by parameter.
 */
export function parseQuery<T>({ searchParams }: URL, schema: z.ZodType<T>): T {
  if (searchParams.size > QUERY_MAX_PARAMETERS) {
    throw new AppError("VALIDATION_FAILED", { reason: "parameters" });
  }
  return validateParameters([...searchParams], schema);
}

/**
 * Parses and validates the query of a page. Parameters that the page does not know, such as `utm_source`, are ignored.
 *
 * @throws {AppError} as {@linkcode parseQuery} does.
 */
export function parsePageQuery<T>({ searchParams }: URL, schema: z.ZodType<T> & z.ZodObject): T {
  const known = [...searchParams].filter(([name]) => Object.hasOwn(schema.shape, name));
  return validateParameters<T>(known, schema);
}

function validateParameters<T>(parameters: [name: string, value: string][], schema: z.ZodType<T>): T {
  const query = new Map<string, string>();
  for (const [name, value] of parameters) {
    if (query.has(name)) throw validationFailed({ [name]: [{ rule: "once" }] });
    query.set(name, value);
  }
  return validate(schema, Object.fromEntries(query));
}

/**
 * Validates a value. Returns it as the schema transforms it.
 *
 * @throws {AppError} VALIDATION_FAILED with problems by field.
 */
export function validate<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw validationFailed(problemsOf(result.error));
}

/** Collects in a map, because a plain object would already have fields such as "constructor". */
function problemsOf({ issues }: z.ZodError): FieldProblems {
  const found = new Map<string, Map<string, Problem>>();
  for (const issue of issues) {
    // zod reports all unknown names in one issue.
    const [fields, problem]: [string[], Problem] = issue.code === "unrecognized_keys"
      ? [issue.keys, { rule: "unknownField" }]
      : [[String(issue.path[0] ?? "body")], problemOfIssue(issue)];
    for (const field of fields) {
      found.set(field, (found.get(field) ?? new Map()).set(JSON.stringify(problem), problem));
    }
  }
  return Object.fromEntries([...found].map(([field, problems]) => [field, [...problems.values()]]));
}

function requireContentType(req: Request, expected: string): void {
  const given = (req.headers.get("content-type") ?? "").split(";")[0].trim().toLowerCase();
  if (given === expected) return;
  throw new AppError("UNSUPPORTED_MEDIA_TYPE", { reason: "type", expected });
}

async function readText(req: Request): Promise<string> {
  return decodeText(await readBytes(req, { maxBytes: BODY_MAX_BYTES }));
}

function decodeText(bytes: Uint8Array<ArrayBuffer>): string {
  return requireUtf8(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes));
}

function requireUtf8(decode: () => string): string {
  try {
    return decode();
  } catch (cause) {
    throw new AppError("INVALID_JSON", { reason: "utf8", cause });
  }
}

function parseObject(text: string): object {
  const value = parseValue(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new AppError("INVALID_JSON", { reason: "object" });
}

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError("INVALID_JSON", { reason: "syntax", cause });
  }
}
