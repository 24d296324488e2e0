import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { isRefusedAtWayIn, loggablePath } from "./request_log.ts";

Deno.test("the log shows harmless parameters, and redacts the values of other known ones and everything else", () => {
  const cases: [query: string, logged: string][] = [
    ["limit=5&cursor=a%26b", "limit=5&cursor=a%26b"],
    ["limit=5&cursor=a-b_c.d&size=&expires=~", "limit=5&cursor=a-b_c.d&size=&expires=~"],
    ["limit=5&token=T", "limit=5&token=[redacted]"],
    ["token=T&limit=5", "token=[redacted]&limit=5"],
    ["limit=5&T", "limit=5&[redacted]"],
    ["email=a%40b.example&token=T", "email=[redacted]&token=[redacted]"],
    ["X-Amz-Signature=T&signature=T", "X-Amz-Signature=[redacted]&signature=[redacted]"],
    ["link=T&limit=5", "link=[redacted]&limit=5"],
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

Deno.test("the log shows nothing of a query whose question mark is encoded or missing", () => {
  const cases: [address: string, logged: string][] = [
    ["/reset-password%3Femail=a%40b.example&token=T", "/reset-password[redacted]"],
    ["/reset-password%3femail%3Da%26token%3DT", "/reset-password[redacted]"],
    ["/verify-email&token=T?limit=5", "/verify-email[redacted]?limit=5"],
    ["/verify-email;token=T", "/verify-email[redacted]"],
    ["/files/private/a.txt%3Flink=T", "/files/private/a.txt[redacted]"],
    ["/files/uploads/1/a-b_c.d", "/files/uploads/1/a-b_c.d"],
    ["/%E2%82%AC", "/%E2%82%AC"],
  ];
  for (const [address, logged] of cases) strictEqual(loggablePath(`https://foyer.example${address}`), logged);
});

Deno.test("the log takes less time for a long query than parsing all of it would", () => {
  const query = "a&".repeat(30_000);
  const best = (work: () => unknown) =>
    Math.min(...Array.from({ length: 5 }, () => {
      const startedAt = performance.now();
      work();
      return performance.now() - startedAt;
    }));
  const address = `https://foyer.example/a?${query}`;
  match(loggablePath(address), /^\/a\?\[redacted\]&.{2000,2100}\.\.\.$/);
  ok(best(() => loggablePath(address)) < best(() => [...new URL(address).searchParams]));
});

Deno.test("a refusal at each way in counts as one, and no other response does", () => {
  const ways = [
    "/auth/login",
    "/auth/code",
    "/auth/code/verify",
    "/auth/passkey",
    "/auth/second-factor",
    "/auth/reauthenticate",
    "/auth/idp/callback?code=[redacted]",
    "/auth/idp/github/callback",
    "/login",
    "/login/?next=[redacted]",
    "/login-code",
    "/second-factor",
    "/reauthenticate",
  ];
  const others = [
    "/",
    "/api/profile",
    "/auth/logins",
    "/auth/idp",
    "/auth/register",
    "/x/login",
    "/auth/passkey/options",
  ];
  const statuses = [200, 303, 400, 401, 403, 404, 429, 503];
  for (const path of ways) {
    deepStrictEqual(statuses.filter((each) => isRefusedAtWayIn(path, each)), [401, 403, 429], path);
  }
  for (const path of others) deepStrictEqual(statuses.filter((each) => isRefusedAtWayIn(path, each)), [], path);
});
