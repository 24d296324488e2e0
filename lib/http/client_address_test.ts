import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { clientAddress, networksOf, siteOf } from "./client_address.ts";

Deno.test("the client is the socket's peer, or the address that the outermost trusted proxy saw", () => {
  const cases: [peer: string, forwarded: string | null, proxies: number, expected: string][] = [
    ["192.0.2.1", null, 0, "192.0.2.1"],
    ["192.0.2.1", "203.0.113.9", 0, "192.0.2.1"],
    ["::ffff:192.0.2.1", null, 0, "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", null, 0, "2001:db8:1:2::"],
    ["2001:db8:1:2:ffff::", null, 0, "2001:db8:1:2::"],
    ["fe80::1%eth0", null, 0, "fe80::"],
    ["10.0.0.1", "203.0.113.9", 1, "203.0.113.9"],
    ["10.0.0.1", "198.51.100.66, 203.0.113.9", 1, "203.0.113.9"],
    ["10.0.0.1", "198.51.100.66, 203.0.113.9, 10.0.0.2", 2, "203.0.113.9"],
    ["10.0.0.1", "203.0.113.9", 2, "203.0.113.9"],
    ["10.0.0.1", "203.0.113.9:4711", 1, "203.0.113.9"],
    ["10.0.0.1", "[2001:db8:1:2:3::]:4711", 1, "2001:db8:1:2::"],
    ["10.0.0.1", "::ffff:203.0.113.9", 1, "203.0.113.9"],
    ["10.0.0.1", null, 1, "10.0.0.1"],
    ["10.0.0.1", "unknown", 1, "10.0.0.1"],
    ["10.0.0.1", "1", 1, "10.0.0.1"],
    ["10.0.0.1", " , ", 1, "10.0.0.1"],
    ["10.0.0.1", "255.255.255.255", 1, "255.255.255.255"],
    ["10.0.0.1", "256.1.1.1", 1, "10.0.0.1"],
    ["10.0.0.1", "203.0.113.9.", 1, "10.0.0.1"],
    ["10.0.0.1", "0xcb.0.113.9", 1, "10.0.0.1"],
    ["10.0.0.1", `198.51.100.66, ${"a".repeat(60_000)}, 203.0.113.9`, 1, "203.0.113.9"],
    ["10.0.0.1", `198.51.100.66${",".repeat(60_000)}203.0.113.9`, 2, "203.0.113.9"], // the end alone is read
  ];
  for (const [hostname, forwarded, proxies, expected] of cases) {
    const headers = new Headers(forwarded === null ? [] : [["X-Forwarded-For", forwarded]]);
    const info = { remoteAddr: { transport: "tcp", hostname, port: 1 }, completed: Promise.resolve() } as const;
    const address = clientAddress(new Request("http://foyer.test/", { headers }), info, proxies);
    strictEqual(address, expected, `${hostname}, ${forwarded}, ${proxies}`);
  }
});

Deno.test("the site of an IPv6 network is its /48, and IPv4 addresses have none", () => {
  strictEqual(siteOf("2001:db8:1:2::"), "2001:db8:1::");
  strictEqual(siteOf("fe80::"), "fe80::");
  strictEqual(siteOf("192.0.2.1"), null);
  strictEqual(siteOf(""), null);
  deepStrictEqual(networksOf("2001:db8:1:2::"), ["2001:db8:1::", "2001:db8:1:2::"]);
  deepStrictEqual(networksOf("192.0.2.1"), ["192.0.2.1"]);
});
