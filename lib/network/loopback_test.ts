import { strictEqual } from "node:assert/strict";
import { isConfidential } from "./loopback.ts";

Deno.test("only https is confidential, and in development also http to loopback", () => {
  const cases: [address: string, inDevelopment: boolean, inProduction: boolean][] = [
    ["https://id.example", true, true],
    ["http://localhost:9000/x", true, false],
    ["http://127.0.0.1:9000", true, false],
    ["http://[::1]:9000", true, false],
    ["http://id.example", false, false],
    ["http://localhost.evil.example", false, false],
    ["http://localhost@evil.example", false, false],
    ["ftp://localhost", false, false],
  ];
  for (const [address, inDevelopment, inProduction] of cases) {
    strictEqual(isConfidential(address, { isProduction: false }), inDevelopment, address);
    strictEqual(isConfidential(address, { isProduction: true }), inProduction, address);
  }
});
