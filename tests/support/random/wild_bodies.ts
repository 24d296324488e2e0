import fc from "fast-check";
import { broken, bytes, mostly, utf8, valueOf, type WildWorld } from "./wild_values.ts";

const anyJson = fc.jsonValue({ maxDepth: 3 });

/** A JSON object with these fields, or a broken one, or no JSON. */
export function jsonBody(fields: string[], world: WildWorld): fc.Arbitrary<string> {
  const values = fields.map((field) => {
    const others = field === "size" ? fc.oneof(fc.integer(), fc.double()) : fc.oneof(anyJson, fc.boolean());
    return [field, mostly<unknown>(valueOf(field, world), others, 8)];
  });
  const record = mostly(
    fc.record(Object.fromEntries(values)),
    fc.record(Object.fromEntries(values), { requiredKeys: [] }),
  );
  return fc.oneof(
    { arbitrary: record.map((value) => utf8(JSON.stringify(value))), weight: 6 },
    { arbitrary: anyJson.map((value) => utf8(JSON.stringify(value))), weight: 1 },
    { arbitrary: record.chain((value) => broken(utf8(JSON.stringify(value)))), weight: 2 },
    {
      arbitrary: fc.constantFrom("", "{", "nul", "[".repeat(20_000), '{"a":1}{"b":2}', utf8("\ufeff{}")),
      weight: 1,
    },
  );
}

/** A form with these fields, or a broken one. */
export function formBody(fields: string[], world: WildWorld): fc.Arbitrary<string> {
  const pairs = ["form_id", ...fields].map((field) => fc.tuple(fc.constant(field), valueOf(field, world)));
  const some = fc.array(fc.oneof(...pairs), { maxLength: 8 });
  const form = mostly(fc.tuple(...pairs), some).map((all) => String(new URLSearchParams(wellFormed(all))));
  return mostly(form, fc.oneof(form.chain(broken), bytes), 4);
}

function wellFormed(pairs: [string, string][]): [string, string][] {
  return pairs.map(([name, value]) => [name, value.toWellFormed()]);
}

/** The boundary of every generated multipart body. */
export const BOUNDARY = "----wild";
/** One pixel. */
const PNG = atob(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
);

/** A form with a file, with too many parts, or broken. */
export function multipartBody(world: WildWorld): fc.Arbitrary<string> {
  const file = fc.record({
    filename: mostly(fc.constantFrom("a.png", "b.txt"), fc.string().map((name) => utf8(name).replace(/["\r\n]/g, "_"))),
    type: mostly(fc.constant("image/png"), fc.constantFrom("image/gif", "text/html", "", "image/png; x=y")),
    content: mostly(fc.constant(PNG), fc.oneof(bytes, broken(PNG)), 2),
  }).map(({ filename, type, content }) =>
    `Content-Disposition: form-data; name="file"; filename="${filename}"\r\nContent-Type: ${type}\r\n\r\n${content}`
  );
  const field = fc.tuple(fc.constantFrom("type", "name", "file", "form_id"), valueOf("type", world)).map((
    [name, value],
  ) => `Content-Disposition: form-data; name="${name}"\r\n\r\n${utf8(value)}`);
  const parts = fc.oneof(
    fc.tuple(file, fc.constant('Content-Disposition: form-data; name="type"\r\n\r\navatar')),
    fc.array(fc.oneof(file, field), { maxLength: 20 }),
  );
  const body = parts.map((all) => `${all.map((part) => `--${BOUNDARY}\r\n${part}\r\n`).join("")}--${BOUNDARY}--\r\n`);
  return mostly(body, body.chain(broken), 3);
}
