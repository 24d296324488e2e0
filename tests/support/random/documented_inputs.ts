import fc from "fast-check";
import { isGuessable } from "../../../lib/passwords/guessable.ts";
import type { JsonSchema } from "../../../lib/api/schemas.ts";
import { ADDRESS, PASSWORD_RULES } from "../../../lib/schemas/credential_rules.ts";
import { DOCUMENTED, WORDS } from "../../../lib/schemas/documented_rules.ts";
import { ONE_LINE, SEVERAL_LINES } from "../../../lib/schemas/rules.ts";
import { READABLE } from "../../../lib/schemas/user_rules.ts";

/** Generates inputs from the schemas of the API document: inside all bounds, or one step outside one of them. */

/** Values of fields that only this installation knows, such as a cursor. */
export type KnownValues = Record<string, fc.Arbitrary<unknown>>;

/** Texts of all kinds that appear in the document. A schema uses the kinds that fit it. */
const TEXTS: fc.Arbitrary<string>[] = [
  fc.string({ unit: "grapheme-ascii", maxLength: 140 }),
  fc.string({ unit: "binary", maxLength: 140 }),
  fc.stringMatching(/^[A-Za-z0-9]{7,20}[!-/][Xx][Yy][0-9]$/),
  fc.stringMatching(/^Aa1![A-Za-z0-9!-/]{4,124}$/),
  fc.emailAddress(),
  fc.webUrl({ validSchemes: ["http", "https"], withFragments: true, withQueryParameters: true }),
  fc.domain(),
  fc.stringMatching(/^[a-z]{1,10}\/[a-z0-9.+-]{1,20}$/),
  fc.constantFrom("", "x", "xx"),
  fc.constantFrom("two\nlines", "a\u0001b"),
];

/** Values that fit the schema. */
export function inside(schema: JsonSchema, known: KnownValues = {}): fc.Arbitrary<unknown> {
  const alternatives = schema.anyOf as JsonSchema[] | undefined;
  if (alternatives) return fc.oneof(...alternatives.map((each) => inside(each, known)));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.type === "object") return objectInside(schema, known);
  if (schema.type === "array") {
    const { minItems: minLength, maxItems: maxLength } = schema;
    return fc.array(inside(schema.items as JsonSchema, known), { minLength, maxLength });
  }
  if (schema.type === "integer") return integerInside(schema);
  if (schema.type === "boolean") return fc.boolean();
  if (schema.type === "null") return fc.constant(null);
  return textInside(schema);
}

function objectInside(schema: JsonSchema, known: KnownValues): fc.Arbitrary<unknown> {
  const fields = Object.entries(propertiesOf(schema)).map(([name, part]) => [name, known[name] ?? inside(part, known)]);
  const alternatives = schema.oneOf as { required: string[] }[] | undefined;
  if (alternatives === undefined) {
    const model: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(fields);
    return fc.record(model, { requiredKeys: schema.required ?? [], noNullPrototype: true });
  }
  return fc.oneof(
    ...alternatives.map(({ required }) =>
      fc.record(Object.fromEntries(fields.filter(([name]) => required.includes(name as string))), {
        noNullPrototype: true,
      })
    ),
  );
}

function integerInside({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: JsonSchema): fc.Arbitrary<number> {
  return fc.oneof(fc.integer({ min: minimum, max: maximum }), fc.constantFrom(minimum, maximum));
}

const textsBySchema = new Map<string, fc.Arbitrary<string>>();

/** Which kinds of texts fit is tried once for each schema: many fields of many operations have the same. */
function textInside(schema: JsonSchema): fc.Arbitrary<string> {
  return textsBySchema.getOrInsertComputed(JSON.stringify(schema), () => fittingTexts(schema));
}

function fittingTexts(schema: JsonSchema): fc.Arbitrary<string> {
  const { minLength = 0, maxLength } = schema;
  const padded = (length: number) => (text: string) => text + "x".repeat(Math.max(0, length - [...text].length));
  const candidates = TEXTS.flatMap((text) => [
    text,
    ...(maxLength === undefined ? [] : [text.map(padded(maxLength))]),
    text.map(padded(minLength)),
  ]);
  const usable = candidates.filter((each) =>
    fc.sample(each, { numRuns: 30, seed: 1 }).some((text) => fits(text, schema))
  );
  return fc.oneof(...usable.map((each) => each.filter((text) => fits(text, schema))));
}

function fits(text: string, schema: JsonSchema): boolean {
  const { minLength = 0, maxLength = Infinity, pattern, description = "" } = schema;
  const length = [...text].length;
  const hasForm = length >= minLength && length <= maxLength && (!pattern || new RegExp(pattern).test(text));
  const rules = Object.entries(RULES).filter(([rule]) => description.includes(WORDS[rule as keyof typeof WORDS]));
  return hasForm && rules.every(([, holds]) => holds(text, schema)) && isAddress(text, schema);
}

/** What the words of a description mean. */
const RULES: Record<keyof typeof WORDS, (text: string, schema: JsonSchema) => boolean> = {
  oneLine: ONE_LINE.holds,
  severalLines: SEVERAL_LINES.holds,
  trimmed: (text, { minLength = 0 }) => [...text.trim()].length >= minLength,
  readable: READABLE.holds,
  email: (text) => ADDRESS.test(text.trim()),
  nfkc: (text) => text.normalize("NFKC") === text,
  characters: (text) => PASSWORD_RULES.every(({ holds }) => holds(text)),
  hard: (text) => !isGuessable(text, { service: [], name: "", email: "" }),
  encoded: (text, { maxLength }) => (URL.parse(withScheme(text))?.href ?? text).length <= maxLength!,
};

/** Whether a browser accepts a text that looks like a web address. No pattern can say so. */
function isAddress(text: string, { pattern }: JsonSchema): boolean {
  const isWebAddress = [DOCUMENTED.webAddress.pattern, DOCUMENTED.website.pattern].includes(pattern!);
  return !isWebAddress || text === "" || URL.canParse(withScheme(text));
}

function withScheme(text: string): string {
  return /^https?:/i.test(text) ? text : `https://${text}`;
}

/** Values that break one rule of the schema by one step. */
export function outside(schema: JsonSchema, known: KnownValues = {}): fc.Arbitrary<unknown> {
  return fc.oneof(...brokenRules(schema, known));
}

function brokenRules(schema: JsonSchema, known: KnownValues): fc.Arbitrary<unknown>[] {
  const alternatives = schema.anyOf as JsonSchema[] | undefined;
  if (alternatives) return brokenRules(alternatives[0], known).map((each) => each.filter((value) => value !== null));
  if (schema.const !== undefined) return [fc.constant(`${schema.const}x`), fc.constant(null)];
  if (schema.enum) return [fc.constant(`${schema.enum[0]}x`), fc.constant(null)];
  if (schema.type === "object") return brokenObjects(schema, known);
  if (schema.type === "array") return brokenArrays(schema, known);
  if (schema.type === "integer") {
    const { minimum, maximum } = schema;
    const bounds = [minimum === undefined ? [] : minimum - 1, maximum === undefined ? [] : maximum + 1].flat();
    return [fc.constantFrom<unknown>(...bounds, (minimum ?? 0) + 0.5, null, "1x")];
  }
  if (schema.type === "boolean") return [fc.constantFrom<unknown>("true", 1, null)];
  return brokenTexts(schema);
}

function brokenObjects(schema: JsonSchema, known: KnownValues): fc.Arbitrary<unknown>[] {
  const whole = inside(schema, known) as fc.Arbitrary<Record<string, unknown>>;
  const properties = propertiesOf(schema);
  const withoutOne = (schema.required ?? []).map((name) =>
    whole.map((value) => Object.fromEntries(Object.entries(value).filter(([key]) => key !== name)))
  );
  const withBroken = Object.entries(properties).flatMap(([name, part]) =>
    known[name]
      ? []
      : brokenRules(part, known).map((broken) =>
        fc.tuple(whole, broken).map(([value, wrong]) => ({ ...value, [name]: wrong }))
      )
  );
  const noAlternative = schema.oneOf ? [fc.constant({})] : [];
  return [...withoutOne, ...withBroken, ...noAlternative];
}

function brokenArrays(schema: JsonSchema, known: KnownValues): fc.Arbitrary<unknown>[] {
  const { minItems, maxItems, items } = schema;
  const value = inside(items as JsonSchema, known);
  const ofLength = (length: number) => fc.array(value, { minLength: length, maxLength: length });
  return [
    fc.constant(null),
    ...(minItems ? [ofLength(minItems - 1)] : []),
    ...(maxItems === undefined ? [] : [ofLength(maxItems + 1)]),
    ...brokenRules(items as JsonSchema, known).map((broken) => broken.map((each) => [each])),
  ];
}

function brokenTexts(schema: JsonSchema): fc.Arbitrary<unknown>[] {
  const { minLength = 0, maxLength, pattern, description = "", inQuery } = schema;
  const isBound = pattern || description.includes(WORDS.oneLine) || description.includes(WORDS.severalLines);
  const whole = textInside(schema);
  // White space around a text does not count.
  const trimmed = whole.map((text) => text.trim());
  return [
    // In a query, everything is text.
    ...(inQuery ? [] : [fc.constantFrom<unknown>(1, null, true)]),
    ...(minLength > 0 ? [trimmed.map((text) => [...text].slice(0, minLength - 1).join("").trim())] : []),
    ...(maxLength === undefined ? [] : [trimmed.map((text) => text + "x".repeat(maxLength + 1 - [...text].length))]),
    // No text may contain this character.
    ...(isBound ? [whole.map((text) => `${text}x\u0000x`)] : []),
  ];
}

function propertiesOf(schema: JsonSchema): Record<string, JsonSchema> {
  return (schema.properties ?? {}) as Record<string, JsonSchema>;
}
