import { match, ok, strictEqual } from "node:assert/strict";
import { createLog, errorFields } from "./log.ts";
import { readableLine } from "./readable_log.ts";

/** Returns what the readable log prints, without the time. */
function printed(...line: Parameters<ReturnType<typeof createLog>>): string {
  const lines: string[] = [];
  createLog((text) => lines.push(text), readableLine)(...line);
  const [, text] = lines[0].match(/^\d\d:\d\d:\d\d\.\d{3} ([^]*)$/)!;
  return text;
}

const REQUEST = { requestId: "a-b", method: "GET", path: "/login?next=[redacted]", status: 200, durationMs: 3.1 };

Deno.test("a request takes one line, and a refusal is explained below it", () => {
  strictEqual(printed("info", "request", REQUEST), "200 GET /login?next=[redacted] 3.1 ms");
  const refusal = "403 FORBIDDEN: no";
  strictEqual(
    printed("info", "request", { ...REQUEST, status: 403, refusal }),
    `403 GET /login?next=[redacted] 3.1 ms\n${" ".repeat(13)}${refusal}`,
  );
});

Deno.test("other lines have their level, their message and their fields", () => {
  strictEqual(
    printed("warn", "email not sent", { attempts: 2, error: "no route" }),
    'WARN email not sent attempts=2 error="no route"',
  );
  strictEqual(
    printed("info", "listening", { url: "http://localhost:8000", commit: undefined }),
    "listening url=http://localhost:8000",
  );
});

Deno.test("migrations take one line, with their number instead of their names", () => {
  strictEqual(
    printed("info", "migrations applied", { migrations: ["0001_a", "0002_b"], durationMs: 31 }),
    "migrations applied: 2, in 31 ms",
  );
});

Deno.test("an error is printed with its stack and its causes", () => {
  const error = new Error("outside", { cause: new TypeError("inside") });
  const text = printed("error", "request failed", errorFields(error));
  match(text, /^ERROR request failed error="Error: outside"\n {13}Error: outside\n {17}at .*\n/);
  match(text, /\n {13}Caused by:\n {13}TypeError: inside\n {17}at /);
});

Deno.test("control characters do not reach the terminal", () => {
  const text = printed("warn", "a\u001b[2J", { refusal: "b\u009b1A\rc", other: "d\ne" });
  // deno-lint-ignore no-control-regex
  ok(!/[\x00-\x09\x0b-\x1f\x7f-\x9f]/.test(text), JSON.stringify(text));
  strictEqual(text.split("\n").length, 2);
});
