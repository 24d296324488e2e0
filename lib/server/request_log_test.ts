import { strictEqual } from "node:assert/strict";
import { loggablePath } from "./request_log.ts";

Deno.test("the log shows values that are harmless, names that it knows, and nothing else of a query", () => {
  const cases: [query: string, logged: string][] = [
    ["limit=5&cursor=a%26b", "limit=5&cursor=a%26b"],
    ["email=a%40b.example&token=T", "email=[redacted]&token=[redacted]"],
    ["X-Amz-Signature=T&signature=T", "X-Amz-Signature=[redacted]&signature=[redacted]"],
    ["error=token%3DT", "error=[redacted]"],
    // As a program asks that took the address out of the HTML of a mail undecoded.
    ["email=a%40b.example&amp;token=T", "email=[redacted]&[redacted]"],
    ["password=T", "[redacted]"],
    ["%3Ftoken=T", "[redacted]"],
    ["token%3DT", "[redacted]"],
    ["T", "[redacted]"],
  ];
  for (const [query, logged] of cases) strictEqual(loggablePath(`https://foyer.example/a?${query}`), `/a?${logged}`);
  strictEqual(loggablePath("https://foyer.example/a"), "/a");
  strictEqual(loggablePath("https://[/a?T"), "(invalid)");
});
