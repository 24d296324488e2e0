import { strictEqual } from "node:assert/strict";
import { requestAtOrigin } from "./request_url.ts";

const ORIGIN = "https://foyer.example";

Deno.test("a request keeps its path and query, under the public origin", () => {
  const cases: [url: string, host: string | null, expected: string | null][] = [
    ["http://foyer.example/a?b=%zz", "foyer.example", `${ORIGIN}/a?b=%zz`],
    ["http://127.0.0.1:8000/a", "127.0.0.1:8000", `${ORIGIN}/a`],
    ["http://[::1]:8000/", "[::1]:8000", `${ORIGIN}/`],
    ["http://evil.example//b/c", "evil.example", `${ORIGIN}//b/c`],
    ["http://foyer.example/", null, `${ORIGIN}/`],
    ["http://evil.example/api/profile?x=/a", "evil.example/api/profile?x=", null],
    ["http://foyer.example/a", "foyer.example, evil.example", null],
    ["http://foyer.example/a", "foyer.example:", `${ORIGIN}/a`],
    ["http://foyer.example/a", "foyer.example:65535", `${ORIGIN}/a`],
    ["http://foyer.example/a", "foyer.example:65536", null],
    ["http://foyer.example/a", "256.1.1.1", null],
    ["http://foyer.example/a", "[::g]", null],
    ["http://foyer.example/a", "xn--", null],
    ["http://foyer.example/a", "", null],
    ["http://foyer.example/a", "foyer.example:port", null],
    ["http://foyer.example/%ff", "foyer.example", null],
    ["http://foyer.example/%2", "foyer.example", null],
  ];
  for (const [url, host, expected] of cases) {
    for (const time of ["first", "second"]) {
      const request = new Request(url, { headers: host === null ? {} : { Host: host } });
      strictEqual(requestAtOrigin(request, ORIGIN)?.url ?? null, expected, `${url} with ${host}, ${time} time`);
    }
  }
});

Deno.test("a request to the public origin is returned unchanged", () => {
  const request = new Request(`${ORIGIN}/a`);
  strictEqual(requestAtOrigin(request, ORIGIN), request);
});

Deno.test("a slash in the query of an address without a path does not begin a path", () => {
  // Only a server makes such requests: the constructor adds the path.
  const request = { url: "http://evil.example?x=/dashboard", headers: new Headers() } as Request;
  strictEqual(requestAtOrigin(request, ORIGIN)?.url ?? null, null);
});
