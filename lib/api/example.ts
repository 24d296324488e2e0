import type { JsonSchema } from "./schemas.ts";

/** The id in examples. */
export const EXAMPLE_ID = "019ca953-9e80-7000-8000-000000000001";

/**
 * Makes an example of what a schema describes: its `sample`, or one of those of its parts. Objects get the fields that
 * are required or have a `sample`; if none is required, they get all.
 *
 * @param named the schemas to which others refer, by name.
 * @param place names the schema in errors.
 * @throws {Error} if a part has no example.
 */
export function exampleOf(schema: JsonSchema, named: Record<string, JsonSchema>, place: string): unknown {
  const { sample, const: constant, enum: values, $ref, items, properties, required = [] } = schema;
  if (sample !== undefined) return sample;
  if (constant !== undefined) return constant;
  if (values !== undefined) return values[0];
  if ($ref !== undefined) return exampleOf(named[$ref.split("/").at(-1)!], named, place);
  if (schema.anyOf !== undefined) return exampleOfAny(schema.anyOf as JsonSchema[], named, place);
  if (Array.isArray(schema.type) && schema.type.includes("null")) return null;
  if (items !== undefined) return [exampleOf(items as JsonSchema, named, `${place}[]`)];
  if (properties !== undefined) {
    const fields = Object.entries(properties as Record<string, JsonSchema>)
      .filter(([name, field]) => required.length === 0 || required.includes(name) || field.sample !== undefined);
    return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(field, named, `${place}.${name}`)]));
  }
  if (schema.additionalProperties !== undefined) return {};
  if (schema.type === "boolean") return true;
  if (schema.format === "uuid") return EXAMPLE_ID;
  throw new Error(`There is no example of ${place}: add a \`sample\` to its schema`);
}

/** Of what may be null, texts and numbers are null. */
function exampleOfAny(schemas: JsonSchema[], named: Record<string, JsonSchema>, place: string): unknown {
  const isNullable = schemas.some(({ type }) => type === "null");
  const [first] = schemas;
  return isNullable && first.properties === undefined && first.$ref === undefined
    ? null
    : exampleOf(first, named, place);
}
