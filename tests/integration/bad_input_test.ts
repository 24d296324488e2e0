import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp({ SIGN_IN_CODES: "true" });
const { client } = await registerVerifiedUser(app, "someone@example.com");

interface Endpoint {
  method: "POST" | "PUT";
  path: string;
  valid: Record<string, unknown>;
  /** The longest text of each field. */
  longest: Record<string, number>;
  optional?: string[];
  nullable?: string[];
}

const ENDPOINTS: Endpoint[] = [
  {
    method: "POST",
    path: "/auth/register",
    valid: { name: "Ada", email: "new@example.com", password: PASSWORD },
    longest: { name: 100, email: 254, password: 128 },
  },
  {
    method: "POST",
    path: "/auth/login",
    valid: { email: "someone@example.com", password: "Wrong-horse-77" },
    longest: { email: 254, password: 128 },
  },
  {
    method: "POST",
    path: "/auth/verify-email",
    valid: { email: "someone@example.com", token: "wrong" },
    longest: { email: 254, token: 128 },
  },
  { method: "POST", path: "/auth/code", valid: { email: "nobody@example.com" }, longest: { email: 254 } },
  {
    method: "POST",
    path: "/auth/code/verify",
    valid: { email: "someone@example.com", code: "12345678" },
    longest: { email: 254, code: 64 },
  },
  { method: "POST", path: "/auth/forgot-password", valid: { email: "nobody@example.com" }, longest: { email: 254 } },
  {
    method: "POST",
    path: "/auth/resend-verification",
    valid: { email: "nobody@example.com" },
    longest: { email: 254 },
  },
  {
    method: "POST",
    path: "/auth/reset-password",
    valid: { email: "someone@example.com", token: "wrong", password: PASSWORD },
    longest: { email: 254, token: 128, password: 128 },
  },
  {
    method: "POST",
    path: "/api/users",
    valid: { email: "invited@example.com", name: "Ada" },
    longest: { email: 254, name: 100 },
  },
  {
    method: "PUT",
    path: "/api/profile",
    valid: { name: "Ada", bio: "", location: "", website: "", avatar: "" },
    longest: { name: 100, bio: 500, location: 100, website: 2048, avatar: 2048 },
    optional: ["name", "bio", "location", "website", "avatar"],
    nullable: ["avatar"],
  },
];

const BAD_VALUES: [what: string, value: unknown][] = [
  ["null", null],
  ["a number", 7],
  ["a list", ["someone@example.com"]],
  ["an object", { $ne: "" }],
  ["text with NUL", "Aa1!aaaa\u0000@example.com"],
  ["text with an escape character", "Aa1!aaaa\u001b[31m@example.com"],
  ["a lone surrogate", "Aa1!aaaa\ud800"],
  ["a line separator", "Aa1!\u2028aaaa"],
  ["a paragraph separator", "Aa1!\u2029aaaa"],
];

for (const { method, path, valid, longest, optional = [], nullable = [] } of ENDPOINTS) {
  for (const [field, max] of Object.entries(longest)) {
    Deno.test(`${method} ${path} names the field ${field} when its value is invalid`, async () => {
      const { [field]: _left, ...missing } = valid;
      const cases: [string, Record<string, unknown>][] = [
        ...BAD_VALUES.filter(([, value]) => value !== null || !nullable.includes(field))
          .map(([what, value]): [string, Record<string, unknown>] => [what, { ...valid, [field]: value }]),
        [`${max + 1} characters`, { ...valid, [field]: tooLong(field, max) }],
      ];
      if (!optional.includes(field)) cases.push(["nothing", missing]);
      for (const [what, body] of cases) {
        const response = await client.send(method, path, body);
        const answer = await response.json();
        strictEqual(response.status, 400, `${field}: ${what}`);
        strictEqual(answer.code, "VALIDATION_FAILED");
        deepStrictEqual(Object.keys(answer.details), [field], `${field}: ${what}`);
        ok(answer.details[field].every((message: unknown) => typeof message === "string"));
      }
    });
  }
}

/** A value that would be valid if it were one character shorter. */
function tooLong(field: string, max: number): string {
  if (field === "email") return `${"a".repeat(60)}@${"b.".repeat(100)}example.com`.padStart(max + 1, "c");
  if (field === "website" || field === "avatar") return "https://example.com/".padEnd(max + 1, "x");
  if (field === "password") return `Aa1!${"😀".repeat(max - 3)}`;
  return "😀".repeat(max + 1);
}

Deno.test("the longest values are accepted, counted in code points", async () => {
  const response = await client.send("PUT", "/api/profile", {
    name: "😀".repeat(100),
    bio: "😀".repeat(500),
    location: "😀".repeat(100),
  });
  strictEqual(response.status, 200, await response.text());
  const password = `Aa1!${"😀".repeat(124)}`;
  const registered = await app.client().send("POST", "/auth/register", {
    name: "Ad",
    email: "long@example.com",
    password,
  });
  strictEqual(registered.status, 201);
});

Deno.test("each password rule has its own message", async () => {
  const cases: [password: string, message: string | null][] = [
    ["Aa1!aaa", "Must be at least 8 characters"],
    ["Aa1!aaaa", null],
    ["aa1!aaaa", "Must have an uppercase letter"],
    ["AA1!AAAA", "Must have a lowercase letter"],
    ["Aaa!aaaa", "Must have a digit"],
    ["Aa1aaaaa", "Must have a character that is not a letter or digit"],
    ["Äö٣ ßßßß", null],
  ];
  for (const [index, [password, message]] of cases.entries()) {
    const body = { name: "Ada", email: `rule${index}@example.com`, password };
    const response = await app.client().send("POST", "/auth/register", body);
    const answer = await response.json();
    strictEqual(response.status, message === null ? 201 : 400, password);
    if (message !== null) deepStrictEqual(answer.details, { password: [message] });
  }
});

Deno.test("names that are invisible or change the text direction are refused", async () => {
  for (const name of ["\u200b\u200b\u200b", "\u2800\u2800", "\u180e\u180e", "\u3164\u3164", "Ada\u202eevil", "   "]) {
    const response = await client.send("PUT", "/api/profile", { name });
    strictEqual(response.status, 400, JSON.stringify(name));
  }
});

Deno.test("malformed email addresses are refused, and no email is sent to them", async () => {
  const bad = [
    "plain",
    "a@b",
    "a..b@example.com",
    ".a@example.com",
    "a.@example.com",
    "a@10.1.2.3",
    "a@@example.com",
    "a@example.com,b@example.com",
    "a@example.com\r\nBcc: b@example.com",
    "a b@example.com",
    "ä@example.com",
    "\u212a@example.com",
    "a@-example.com",
    "a@example..com",
    `${"a".repeat(65)}@example.com`,
  ];
  await app.deliverMails();
  const mailsBefore = app.mails.length;
  for (const email of bad) {
    const response = await app.client().send("POST", "/auth/register", { name: "Ada", email, password: PASSWORD });
    strictEqual(response.status, 400, email);
    deepStrictEqual(Object.keys((await response.json()).details), ["email"]);
  }
  await app.deliverMails();
  strictEqual(app.mails.length, mailsBefore);
});

Deno.test("bodies that are not a JSON object are refused", async () => {
  const json = { "Content-Type": "application/json" };
  const cases: [what: string, body: BodyInit, headers: Record<string, string>, status: number, code: string][] = [
    ["incomplete JSON", "{", json, 400, "INVALID_JSON"],
    ["nothing", "", json, 400, "INVALID_JSON"],
    ["a list", "[]", json, 400, "INVALID_JSON"],
    ["null", "null", json, 400, "INVALID_JSON"],
    ["a text", '"x"', json, 400, "INVALID_JSON"],
    [
      "bad UTF-8",
      new Uint8Array([...new TextEncoder().encode('{"x":"'), 0xff, ...new TextEncoder().encode('"}')]),
      json,
      400,
      "INVALID_JSON",
    ],
    ["deep nesting", `${"[".repeat(30_000)}${"]".repeat(30_000)}`, json, 400, "INVALID_JSON"],
    ["64 KiB + 1", `{"x":"${"x".repeat(64 * 1024 - 7)}"}`, json, 413, "PAYLOAD_TOO_LARGE"],
    ["plain text", "{}", { "Content-Type": "text/plain" }, 415, "UNSUPPORTED_MEDIA_TYPE"],
    ["a form", "a=b", { "Content-Type": "application/x-www-form-urlencoded" }, 415, "UNSUPPORTED_MEDIA_TYPE"],
  ];
  for (const [what, body, headers, status, code] of cases) {
    for (const [method, path] of [["POST", "/auth/login"], ["PUT", "/api/profile"]] as const) {
      const response = await client.request(path, { method, body, headers });
      strictEqual(response.status, status, `${path}: ${what}`);
      strictEqual((await response.json()).code, code, `${path}: ${what}`);
    }
  }
  const noType = await client.request("/auth/login", { method: "POST", body: new Uint8Array([0x7b, 0x7d]) });
  strictEqual(noType.status, 415);
  const exact = await client.request("/auth/login", {
    method: "POST",
    body: `{"x":"${"x".repeat(64 * 1024 - 8)}"}`,
    headers: json,
  });
  strictEqual(exact.status, 400);
});

Deno.test("logout accepts no body, or JSON", async () => {
  const text = await client.request("/auth/logout", {
    method: "POST",
    body: "x",
    headers: { "Content-Type": "text/plain" },
  });
  strictEqual(text.status, 415);
  strictEqual((await client.get("/api/profile")).status, 200);
  strictEqual((await client.send("POST", "/auth/logout", {})).status, 200);
});

Deno.test("a form that is not UTF-8 is refused, because different passwords could become equal", async () => {
  for (const password of ["%FFCorrect-horse-7", "%C3Correct-horse-7", "%ED%A0%80Correct-horse-7"]) {
    const response = await app.client().request("/register", {
      method: "POST",
      body: `name=Ada&email=bytes@example.com&password=${password}`,
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
    });
    strictEqual(response.status, 400, password);
  }
  const percent = { name: "Ada", email: "percent@example.com", password: "100%FF %e Correct-ho\u{1F434}se" };
  strictEqual((await app.client().submit("/register", percent)).status, 303);
});
