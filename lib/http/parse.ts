import type { z } from "zod";
import { AppError, validationFailed } from "../errors/errors.ts";
import { type FieldProblems, type Problem, problemOfIssue } from "../errors/problem.ts";
import { decodeObject } from "./decode.ts";

/**
 * Parses and validates a JSON body.
 *
 * @throws {AppError} INVALID_JSON (not UTF-8, not JSON or not an object), VALIDATION_FAILED with problems by field.
 */
export function parseJson<T>(body: Uint8Array<ArrayBuffer>, schema: z.ZodType<T>): T {
  return validate(schema, decodeObject(body));
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

/**
 * The same for a page with filters. A browser also sends those that are left empty; they do not count.
 *
 * @throws {AppError} as {@linkcode parseQuery} does.
 */
export function parseFilters<T>({ searchParams }: URL, schema: z.ZodType<T> & z.ZodObject): T {
  const known = [...searchParams].filter(([name, value]) => Object.hasOwn(schema.shape, name) && value !== "");
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
