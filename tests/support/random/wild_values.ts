import fc from "fast-check";

/** Generates valid and invalid values. Text for the wire has one character per byte. */

/** Facts that the requests may refer to. */
export interface WildWorld {
  host: string;
  /** A valid value of the session cookie. */
  session: string;
  userId: string;
  email: string;
  /** The path of a stored object. */
  filePath: string;
  /** The path and query of a presigned URL. */
  presignedPath: string;
}

/** Mostly the usual value, sometimes the unusual one. */
export function mostly<T>(usual: fc.Arbitrary<T>, unusual: fc.Arbitrary<T>, weight = 5): fc.Arbitrary<T> {
  return fc.oneof({ arbitrary: usual, weight }, { arbitrary: unusual, weight: 1 });
}

/** The UTF-8 bytes of a text, one character each. */
export const utf8 = (text: string) =>
  new TextEncoder().encode(text).reduce((all, byte) => all + String.fromCharCode(byte), "");

/** Any bytes. */
export const bytes = fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)) });

/** Bytes that the value of a header may contain. */
export const headerText = fc.string({
  unit: fc.oneof(fc.integer({ min: 32, max: 126 }), fc.constant(9), fc.integer({ min: 128, max: 255 })).map((code) =>
    String.fromCharCode(code)
  ),
}).map((text) => text.trim());

/** The bytes with some of them removed or replaced, and others inserted. */
export function broken(text: string): fc.Arbitrary<string> {
  return fc.tuple(fc.nat(text.length), fc.nat(8), bytes).map(([at, removed, inserted]) =>
    text.slice(0, at) + inserted + text.slice(at + removed)
  );
}

/** The text, percent-encoded where a URL requires it. */
export function percentEncoded(text: string): string {
  return utf8(text).replace(/[^!-~]|[?#]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

const TEXTS = [
  "",
  " ",
  "x",
  "Ada Lovelace",
  "Correct-horse-7",
  "https://example.com/a",
  "javascript:alert(1)",
  "http://[::1",
  "/dashboard",
  "//evil.example",
  "/\\evil.example",
  "nobody@example.com",
  "a@b",
  "\u0000",
  "\u202e",
  "\ud800",
  "ß".repeat(300),
  "😀".repeat(128),
  "x".repeat(3000),
  "image/png",
  "text/html",
  "avatar",
  "verify",
  "resend",
  "reject",
  "../../etc/passwd",
  "1e400",
  "-1",
  "500",
  "__proto__",
];

function texts({ email, userId }: WildWorld): fc.Arbitrary<string> {
  const random = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.emailAddress(), fc.webUrl(), fc.uuid());
  return fc.oneof(fc.constantFrom(...TEXTS, email, userId), random);
}

/** A value that is often valid in this field. */
export function valueOf(field: string, world: WildWorld): fc.Arbitrary<string> {
  const good: Record<string, fc.Arbitrary<string>> = {
    email: fc.oneof(fc.constant(world.email), fc.emailAddress()),
    name: fc.string({ minLength: 2, maxLength: 100 }),
    password: fc.constantFrom("Correct-horse-7", "Wrong-horse-77"),
    token: fc.stringMatching(/^[\w-]{43}$/),
    action: fc.constantFrom("verify", "reject", "resend"),
    type: fc.constantFrom("avatar", "post"),
    contentType: fc.constantFrom("image/png", "text/plain", "application/x-y+json"),
    filename: fc.string({ minLength: 1, maxLength: 255 }),
    form_id: fc.constantFrom("00000000-0000-4000-8000-000000000000", "x"),
    website: fc.webUrl(),
    avatar: fc.webUrl({ validSchemes: ["https"] }),
    limit: fc.integer({ min: -1, max: 501 }).map(String),
    cursor: fc.constant(btoa(world.userId).replaceAll("=", "")),
    next: fc.webPath(),
    state: fc.constant("s"),
  };
  return mostly(Object.hasOwn(good, field) ? good[field] : texts(world), texts(world));
}
