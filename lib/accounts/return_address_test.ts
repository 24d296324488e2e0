import { strictEqual } from "node:assert/strict";
import { externalAddress, ownPath } from "./return_address.ts";

const ORIGINS = {
  baseUrl: "https://foyer.test",
  returnOrigins: ["https://app.foyer.test", "http://localhost:3000", "https://xn--bcher-kva.test"],
};

Deno.test("ownPath accepts paths of this site and refuses all other addresses", () => {
  const cases: [address: string | null, path: string | null][] = [
    ["/profile", "/profile"],
    ["/users?cursor=x#end", "/users?cursor=x"],
    ["/a/../b", "/b"],
    ["https://foyer.test/profile", "/profile"],
    ["https://foyer.test:443", "/"],
    [null, null],
    ["", null],
    ["profile", null],
    ["//evil.example", null],
    ["//foyer.test@evil.example", null],
    ["/\\evil.example", null],
    ["/\t/evil.example", null],
    ["/.//evil.example", null],
    ["/x/..//evil.example", null],
    ["/%2e//evil.example", null],
    ["https://foyer.test//evil.example", null],
    ["https://foyer.test/.//evil.example", null],
    ["https://ada@foyer.test/profile", null],
    ["http://foyer.test/profile", null],
    ["https://evil.example", null],
    ["javascript:alert(1)", null],
    ["///[", null],
  ];
  for (const [address, path] of cases) strictEqual(ownPath(address, ORIGINS), path, String(address));
});

Deno.test("an address on another origin is accepted only if RETURN_ORIGINS contains exactly this origin", () => {
  const cases: [address: string, external: string | null][] = [
    ["https://app.foyer.test", "https://app.foyer.test/"],
    ["https://app.foyer.test/a b?q=ü&r=%2F#part", "https://app.foyer.test/a%20b?q=%C3%BC&r=%2F"],
    ["HTTPS://APP.Foyer.TEST/x", "https://app.foyer.test/x"],
    ["https://app.foyer.test:443/x", "https://app.foyer.test/x"],
    ["https://app.foyer.test//evil.example", "https://app.foyer.test//evil.example"],
    ["https://app.foyer.test/\\evil.example", "https://app.foyer.test//evil.example"],
    ["https://app.foyer.test/?next=https://evil.example", "https://app.foyer.test/?next=https://evil.example"],
    ["https://app.foyer.test?@evil.example", "https://app.foyer.test/?@evil.example"],
    ["https://app.foyer.test#@evil.example", "https://app.foyer.test/"],
    [
      "https://app.foyer.test/\r\nRefresh: 0; url=//evil.example",
      "https://app.foyer.test/Refresh:%200;%20url=//evil.example",
    ],
    ["https://%61pp.foyer.test/x", "https://app.foyer.test/x"],
    ["https://bücher.test/x", "https://xn--bcher-kva.test/x"],
    ["http://localhost:3000/x", "http://localhost:3000/x"],
    // Another host.
    ["https://evil.example/https://app.foyer.test", null],
    ["https://evil.app.foyer.test", null],
    ["https://app.foyer.test.evil.example", null],
    ["https://app.foyer.testevil.example", null],
    ["https://app.foyer.test./x", null],
    ["https://app。foyer。test.evil.example", null],
    ["https://app.foyer.test%2eevil.example", null],
    ["https://app.foyer.test%00.evil.example", null],
    ["https://bucher.test/x", null],
    ["https://bu\u0308cher.evil.example", null],
    ["https://аpp.foyer.test/x", null], // Cyrillic а
    ["http://127.0.0.1:3000/x", null],
    // Another host after what looks like ours.
    ["https://app.foyer.test@evil.example", null],
    ["https://app.foyer.test:443@evil.example", null],
    ["https://app.foyer.test%40evil.example", null],
    ["https://evil.example\\@app.foyer.test", null],
    ["https://evil.example/@app.foyer.test", null],
    // Credentials.
    ["https://ada@app.foyer.test/x", null],
    ["https://ada:secret@app.foyer.test/x", null],
    ["https://:secret@app.foyer.test/x", null],
    // Another port or scheme.
    ["https://app.foyer.test:8443/x", null],
    ["https://app.foyer.test:80/x", null],
    ["http://app.foyer.test/x", null],
    ["http://app.foyer.test:443/x", null],
    ["http://localhost/x", null],
    ["https://localhost:3000/x", null],
    ["ftp://app.foyer.test/x", null],
    ["javascript://app.foyer.test/%0aalert(1)", null],
    ["javascript:alert('https://app.foyer.test')", null],
    ["data:text/html,https://app.foyer.test", null],
    ["blob:https://app.foyer.test/x", null],
    ["filesystem:https://app.foyer.test/x", null],
    ["view-source:https://app.foyer.test/x", null],
    // Incomplete.
    ["//app.foyer.test/x", null],
    ["\\\\app.foyer.test/x", null],
    ["/\\app.foyer.test/x", null],
    ["https:app.foyer.test/x", null],
    ["https:/app.foyer.test/x", null],
    [" https://app.foyer.test/x", null],
    ["\thttps://app.foyer.test/x", null],
    ["ht\ntps://app.foyer.test/x", null],
    ["app.foyer.test/x", null],
    ["https%3A%2F%2Fapp.foyer.test/x", null],
    ["null", null],
    ["", null],
  ];
  for (const [address, external] of cases) {
    strictEqual(externalAddress(address, ORIGINS.returnOrigins), external, address);
    const path = ownPath(address, ORIGINS);
    if (external !== null) strictEqual(path, `/continue?${new URLSearchParams({ next: external })}`);
    // Whatever else the address is, a browser that goes to the result stays here.
    else if (path !== null) strictEqual(new URL(path, ORIGINS.baseUrl).origin, ORIGINS.baseUrl, address);
  }
});

Deno.test("without RETURN_ORIGINS, no address leads to another origin", () => {
  for (const address of ["https://app.foyer.test/x", "http://localhost:3000", "null"]) {
    strictEqual(ownPath(address, { ...ORIGINS, returnOrigins: [] }), null);
  }
});

Deno.test("an address has at most 4,352 characters, as given and as encoded", () => {
  const cases: [address: string, isAccepted: boolean][] = [
    [`/${"x".repeat(4_351)}`, true],
    [`/${"x".repeat(4_352)}`, false],
    [`/${"é".repeat(725)}`, true],
    [`/${"é".repeat(726)}`, false],
    [`/${"./".repeat(2_175)}`, true],
    [`/${"./".repeat(2_176)}`, false],
  ];
  for (const [address, isAccepted] of cases) {
    strictEqual(ownPath(address, ORIGINS) !== null, isAccepted, `${address.slice(0, 3)} ${address.length}`);
  }
});
