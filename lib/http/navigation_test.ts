import { strictEqual } from "node:assert/strict";
import { isNavigation } from "./navigation.ts";

Deno.test("a navigation is recognized by what browsers send, also where a proxy drops or changes Accept", () => {
  const PAGE = "text/html,application/xhtml+xml,*/*;q=0.8";
  const cases: [expected: boolean, headers: Record<string, string>, method?: string][] = [
    [true, { "Accept": PAGE, "Sec-Fetch-Mode": "navigate" }],
    [true, { "Accept": PAGE, "Sec-Fetch-Mode": "navigate" }, "POST"],
    [false, { "Accept": PAGE, "Sec-Fetch-Mode": "cors" }],
    [true, { "Accept": PAGE }],
    [false, { "Accept": PAGE }, "POST"],
    [false, { "Accept": "*/*" }],
    [true, { "Accept": "*/*", "Upgrade-Insecure-Requests": "1" }],
    [false, { "Accept": "*/*", "Upgrade-Insecure-Requests": "1", "Sec-Fetch-Mode": "cors" }],
    [true, { "Upgrade-Insecure-Requests": "1" }],
    [false, {}],
  ];
  for (const [expected, headers, method] of cases) {
    const req = new Request("http://foyer.test/", { method, headers });
    strictEqual(isNavigation(req), expected, JSON.stringify({ headers, method }));
  }
});
