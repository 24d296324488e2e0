import { strictEqual } from "node:assert/strict";
import { loggablePath } from "./request_log.ts";

Deno.test("the log shows harmless values and known names of a query, and redacts the rest", () => {
  const cases: [query: string, logged: string][] = [
    ["limit=5&cursor=a%26b", "limit=5&cursor=a%26b"],
    ["email=a%40b.example&token=T", "email=[redacted]&token=[redacted]"],
    ["X-Amz-Signature=T&signature=T", "X-Amz-Signature=[redacted]&signature=[redacted]"],
    ["error=token%3DT", "error=[redacted]"],
    // From a program that did not decode the link in an email's HTML.
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
