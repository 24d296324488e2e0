import fc from "fast-check";
import { percentEncoded } from "./wild_values.ts";

const SEGMENTS = [
  "..",
  ".",
  "%2e%2e",
  "%2F",
  "%5C",
  "%00",
  "%0d%0a",
  "%ff",
  "%zz",
  "%",
  "",
  "a".repeat(5000),
  "%E2%82%AC",
];
const NOISE = [
  "//",
  "/",
  "?",
  "&",
  "=",
  ";",
  "\\",
  "%",
  "+",
  "[",
  "]",
  "{",
  "}",
  "|",
  "^",
  "`",
  '"',
  "<",
  ">",
  "*",
  ":",
  "@",
];
const segment = fc.oneof(
  fc.constantFrom(...SEGMENTS, "api", "auth", "users", "files", "profile", "_fresh", "__proto__", "constructor"),
  fc.string().map(percentEncoded),
  fc.uuid(),
);
/** A path, usually not one of ours. */
export const anyPath = fc.oneof(
  fc.array(segment, { maxLength: 6 }).map((parts) => `/${parts.join("/")}`),
  fc.constantFrom("http://evil.example/api/profile", "/api/", "/auth", "/files", "/files/", "/users/", "/.."),
  fc.array(fc.oneof(fc.constantFrom(...NOISE), segment), { maxLength: 8 }).map((parts) => `/${parts.join("")}`),
);

/** One of our paths with a part inserted, removed or written differently. */
export function bentPath(path: string): fc.Arbitrary<string> {
  return fc.tuple(fc.nat(path.length), fc.constantFrom("insert", "cut", "encode", "upper", "append"), segment).map((
    [at, how, extra],
  ) => {
    const [head, rest] = [path.slice(0, at), path.slice(at)];
    const bent = {
      insert: head + extra + rest,
      cut: head + rest.slice(1),
      encode: rest === "" ? path : `${head}%${rest.charCodeAt(0).toString(16)}${rest.slice(1)}`,
      upper: head + rest.toUpperCase(),
      append: `${path}/${extra}`,
    }[how]!;
    return bent.startsWith("/") ? bent : `/${bent}`;
  });
}
