import { strictEqual } from "node:assert/strict";
import { answerAddress, isClaimable, isRegistered } from "./redirect_uri.ts";

const HTTPS = "https://app.example/cb";
const LOOPBACK = "http://127.0.0.1:8080/cb?a=1";

Deno.test("a redirect URI must equal a registered one as a text", () => {
  const cases: [requested: string, registered: string, expected: boolean][] = [
    [HTTPS, HTTPS, true],
    ["https://app.example/cb/", HTTPS, false],
    ["https://app.example/cb?", HTTPS, false],
    ["https://app.example/cb#", HTTPS, false],
    ["https://app.example/cb?a=1", HTTPS, false],
    ["https://APP.example/cb", HTTPS, false],
    ["https://app.example:443/cb", HTTPS, false],
    ["https://app.example/%63b", HTTPS, false],
    ["https://app.example/x/../cb", HTTPS, false],
    ["https://app.example/..;/cb", HTTPS, false],
    ["https://app.example/cb%2f", HTTPS, false],
    ["https://app.example\\@evil.example/cb", HTTPS, false],
    ["https://app.example@evil.example/cb", HTTPS, false],
    ["https://user@app.example/cb", HTTPS, false],
    ["https://app.example.evil.example/cb", HTTPS, false],
    ["http://app.example/cb", HTTPS, false],
    [" https://app.example/cb", HTTPS, false],
    ["com.example.app:/cb", "com.example.app:/cb", true],
    ["com.example.app:/cb2", "com.example.app:/cb", false],
    ["", HTTPS, false],
  ];
  for (const [requested, registered, expected] of cases) {
    strictEqual(
      isRegistered(requested, { redirectUris: ["https://other.example/cb", registered] }),
      expected,
      requested,
    );
  }
});

Deno.test("on loopback, only the port may differ", () => {
  const cases: [requested: string, registered: string, expected: boolean][] = [
    [LOOPBACK, LOOPBACK, true],
    ["http://127.0.0.1:1/cb?a=1", LOOPBACK, true],
    ["http://127.0.0.1:65535/cb?a=1", LOOPBACK, true],
    ["http://127.0.0.1/cb?a=1", LOOPBACK, true],
    ["http://127.0.0.1:65536/cb?a=1", LOOPBACK, false],
    ["http://127.0.0.1:99999/cb?a=1", LOOPBACK, false],
    ["http://127.0.0.1:0/cb?a=1", LOOPBACK, false],
    ["http://127.0.0.1:080/cb?a=1", LOOPBACK, false],
    ["http://127.0.0.1:/cb?a=1", LOOPBACK, false],
    ["http://127.0.0.1:8080/cb?a=2", LOOPBACK, false],
    ["http://127.0.0.1:8080/cb", LOOPBACK, false],
    ["http://localhost:8080/cb?a=1", LOOPBACK, false],
    ["http://127.0.0.2:8080/cb?a=1", LOOPBACK, false],
    ["http://127.0.0.1.evil.example/cb?a=1", LOOPBACK, false],
    ["http://127.0.0.1:1@evil.example/cb?a=1", LOOPBACK, false],
    ["http://127.0.0.1:1\\@evil.example/cb?a=1", LOOPBACK, false],
    ["https://127.0.0.1:1/cb?a=1", LOOPBACK, false],
    ["http://127.0.0.1:1/cb?a=1\n", LOOPBACK, false],
    ["http://[::1]:1/", "http://[::1]/", true],
    ["http://[::1]:1", "http://[::1]", true],
    ["http://[::1]:1/", "http://[::1]", false],
    ["http://localhost:1?x", "http://localhost:2?x", true],
    ["https://app.example:2/cb", "https://app.example:1/cb", false],
    ["http://app.example:2/cb", "http://app.example:1/cb", false],
  ];
  for (const [requested, registered, expected] of cases) {
    strictEqual(isRegistered(requested, { redirectUris: [registered] }), expected, requested);
  }
});

Deno.test("programs on the device can claim loopback and schemes of their own", () => {
  for (const uri of [LOOPBACK, "http://[::1]/", "com.example.app:/cb"]) strictEqual(isClaimable(uri), true, uri);
  strictEqual(isClaimable(HTTPS), false);
});

Deno.test("an answer follows what the redirect URI already has, percent-encoded", () => {
  const answer = { code: "c", issuer: "https://id.example" };
  const end = "code=c&state=a%20%2B%26%C3%A4%22&iss=https%3A%2F%2Fid.example";
  const cases: [redirectUri: string, expected: string][] = [
    [HTTPS, `${HTTPS}?${end}`],
    [`${HTTPS}?`, `${HTTPS}?${end}`],
    [`${HTTPS}?a=%20`, `${HTTPS}?a=%20&${end}`],
    [`${HTTPS}?a=1&`, `${HTTPS}?a=1&${end}`],
    ["com.example.app:/cb", `com.example.app:/cb?${end}`],
  ];
  for (const [redirectUri, expected] of cases) {
    strictEqual(answerAddress({ redirectUri, state: 'a +&ä"' }, answer), expected);
  }
  const address = answerAddress({ redirectUri: HTTPS, state: null }, answer);
  strictEqual(address, `${HTTPS}?code=c&iss=https%3A%2F%2Fid.example`);
});
