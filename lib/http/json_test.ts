import { strictEqual } from "node:assert/strict";
import { entityTag, expectedVersion, isKnown, okList, okOrNotModified } from "./json.ts";

const VIEW = { id: 1 };
const ETAG = entityTag(VIEW);
const known = (header: string, etag = ETAG) => isKnown(new Headers({ "If-None-Match": header }), etag);

Deno.test("If-None-Match names versions in a list, weak or strong, or any", () => {
  const cases: [header: string, isKnown: boolean][] = [
    [ETAG, true],
    [`W/${ETAG}`, true],
    [`"a","b" , ${ETAG}`, true],
    [`"a,b", W/${ETAG}, "c"`, true],
    [" * ", true],
    ["", false],
    [ETAG.slice(1, -1), false],
    ['"a"', false],
    ['"*"', false],
    [`"a${ETAG}`, false],
    [`w/${ETAG}`, false],
  ];
  for (const [header, expected] of cases) strictEqual(known(header), expected, header);
  for (const [others, expected] of [[99, true], [100, false]] as const) {
    strictEqual(known(`${'"a",'.repeat(others)}${ETAG}`), expected, `after ${others} others`);
  }
  strictEqual(isKnown(new Headers(), ETAG), false);
  strictEqual(known('"x", "a,b"', '"a,b"'), true);
  strictEqual(known('"a,b"', '"b"'), false);
});

Deno.test("a version that the client has gets 304 without a body", () => {
  const respond = (header: string) =>
    okOrNotModified(new Request("http://foyer.test", { headers: { "If-None-Match": header } }), { data: VIEW }, VIEW);
  for (const [header, status] of [[ETAG, 304], ['"other"', 200]] as const) {
    const response = respond(header);
    strictEqual(response.status, status);
    strictEqual(response.headers.get("ETag"), ETAG);
    strictEqual(response.body === null, status === 304);
  }
});

Deno.test("If-Match names versions in a list, only strong ones, or any", () => {
  const isExpected = (header?: string) => {
    const headers = header === undefined ? undefined : { "If-Match": header };
    return expectedVersion(new Request("http://foyer.test", { headers }), (view) => view)?.(VIEW);
  };
  strictEqual(isExpected(), undefined);
  strictEqual(isExpected("*"), undefined);
  for (const header of [ETAG, `"a", ${ETAG}`, `"a,b",${ETAG}`]) strictEqual(isExpected(header), true, header);
  for (const header of ["", '"a"', `W/${ETAG}`, `w/${ETAG}`, "nonsense", ETAG.slice(1, -1), '"*"']) {
    strictEqual(isExpected(header), false, header);
  }
});

Deno.test("the Link of a page leads to the next one and keeps the query", () => {
  const url = new URL("https://foyer.test/api/users?limit=2&cursor=b2xk");
  const next = "https://foyer.test/api/users?limit=2&cursor=bmV3";
  strictEqual(okList(url, { data: [], nextCursor: "bmV3" }).headers.get("Link"), `<${next}>; rel="next"`);
  strictEqual(okList(url, { data: [], nextCursor: null }).headers.get("Link"), null);
});
