import { deepStrictEqual } from "node:assert/strict";
import { checkClientsFile } from "./clients_file.ts";

const HASH = `sha256:${"0a".repeat(32)}`;

function check(client: object) {
  const content = JSON.stringify({ clients: [{ client_id: "app", client_name: "App", ...client }] });
  return checkClientsFile(content, {
    baseUrl: "https://foyer.example",
    tokenAudiences: [],
    accessTtlSeconds: 300,
    uploads: "on",
  });
}

const CHARACTERS = "must consist of the characters of a URI, with all others percent-encoded";
const REDIRECT =
  "must be https, http on 127.0.0.1, [::1] or localhost, or begin with a scheme that has a dot, such as " +
  "com.example.app:/callback";

Deno.test("redirect URIs are https, on this machine, or have the scheme of an app without a secret", () => {
  const cases: [uri: string, problem: string | null][] = [
    ["https://app.example.com/cb?a=b&c=%20", null],
    ["https://app.example.com", null],
    ["https://app.example.com/@ada/cb", null],
    ["https://10.0.0.1/cb", null],
    [`https://app.example.com/${"x".repeat(2024)}`, null],
    [`https://app.example.com/${"x".repeat(2025)}`, "must have at most 2048 characters"],
    ["http://localhost/cb", null],
    ["http://localhost:8080/cb", null],
    ["http://127.0.0.1:8080", null],
    ["http://[::1]/cb", null],
    ["http://app.example.com/cb", REDIRECT],
    ["http://127.0.0.2/cb", REDIRECT],
    ["http://127.1/cb", REDIRECT],
    ["http://localhost.example.com/cb", REDIRECT],
    ["http://localhost:x/cb", REDIRECT],
    ["http://localhost:99999/cb", REDIRECT],
    ["http://localhost@evil.example/cb", "must have no credentials"],
    ["com.example.app:/cb", null],
    ["com.example.app://host/cb", null],
    ["com.example.app://a:b@host/cb", "must have no credentials"],
    ["app:/cb", REDIRECT],
    ["javascript:alert(1)", REDIRECT],
    ["data:text/html,x", REDIRECT],
    ["/cb", REDIRECT],
    ["https:/app.example.com", REDIRECT],
    ["https:app.example.com", REDIRECT],
    ["https:///cb", REDIRECT],
    ["https://*.example.com/cb", "must have no wildcard"],
    ["https://app.example.com/*", "must have no wildcard"],
    ["https://app.example.com/cb#", "must have no fragment"],
    ["https://app.example.com/cb#a", "must have no fragment"],
    ["https://ada@app.example.com/cb", "must have no credentials"],
    ["https://@app.example.com/cb", "must have no credentials"],
    ["https://app.example.com\\@evil.example/cb", CHARACTERS],
    ["https://app.example.com/ cb", CHARACTERS],
    [" https://app.example.com/cb", CHARACTERS],
    ["https://app.example.com/cb\n", CHARACTERS],
    ["https://app.example.com/%zz", CHARACTERS],
    ["https://bücher.example/cb", CHARACTERS],
    ["https://app.example.com/ü", CHARACTERS],
    ["", CHARACTERS],
  ];
  for (const [uri, problem] of cases) {
    for (const field of ["redirect_uris", "post_logout_redirect_uris"]) {
      const { problems } = check({ [field]: ["https://first.example.com", uri] });
      deepStrictEqual(problems, problem === null ? [] : [`clients[0].${field}[1]: ${problem}`], uri);
    }
  }
  deepStrictEqual(check({ client_secret_hashes: [HASH], redirect_uris: ["com.example.app:/cb"] }).problems, [
    "clients[0].redirect_uris[0]: may begin with the scheme of an app only if the client has no secret",
  ]);
});
