import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { z } from "zod";
import { AppError } from "../errors/errors.ts";
import { issueMessage } from "../errors/problem.ts";
import { detailsInEnglish } from "./error_english.ts";
import { parseQuery, validate } from "./parse.ts";

const STRING = issueMessage({ rule: "string" });

function detailsOf(schema: z.ZodType, value: unknown): Record<string, string[]> {
  try {
    validate(schema, value);
  } catch (error) {
    if (error instanceof AppError) return detailsInEnglish(error);
    throw error;
  }
  throw new Error("The value was accepted");
}

const oneOf = (input: unknown) => issueMessage({ rule: "oneOf", values: [String(input)] });

Deno.test("details stay small, however many fields are wrong", () => {
  const many = Array.from({ length: 5_000 }, (_, index) => `field${index}`);
  const object = (names: string[]) => Object.fromEntries(names.map((name) => [name, 1]));
  const cases: [what: string, schema: z.ZodType, value: unknown][] = [
    ["unknown names", z.strictObject({}), object(many)],
    ["a long name", z.strictObject({}), object(["\u0001".repeat(60_000)])],
    ["many long names", z.strictObject({}), object(many.map((name) => name.padEnd(1_000, "\u0001")))],
    ["wrong values", z.record(z.string(), z.string(STRING)), object(many)],
    ["one list of wrong values", z.object({ list: z.array(z.string(STRING)) }), {
      list: many.map(() => 1),
    }],
    ["problems", z.object({ list: z.array(z.enum(["a"], { error: ({ input }) => oneOf(input) })) }), { list: many }],
  ];
  for (const [what, schema, value] of cases) {
    const size = JSON.stringify(detailsOf(schema, value)).length;
    ok(size > 2 && size < 8_000, `${what}: ${size} characters`);
  }
});

Deno.test("each unknown name has its own message", () => {
  const value = JSON.parse('{"constructor":1,"__proto__":1,"known":1}');
  const message = "Is not a known field";
  const details = detailsOf(z.strictObject({ known: z.string(STRING) }), value);
  deepStrictEqual(Object.entries(details).sort(), [
    ["__proto__", [message]],
    ["constructor", [message]],
    ["known", ["Must be a string"]],
  ]);
});

Deno.test("a query may have up to 16 parameters", () => {
  const parse = (count: number) => {
    const query = new URLSearchParams(Array.from({ length: count }, (_, index) => [`p${index}`, "x"]));
    return parseQuery(new URL(`http://foyer.test/?${query}`), z.record(z.string(), z.string()));
  };
  strictEqual(Object.keys(parse(16)).length, 16);
  throws(() => parse(17), { code: "VALIDATION_FAILED", data: { reason: "parameters" } });
});
