import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { logIn, PASSWORD, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { createToken } from "../support/app/api_tokens.ts";
import { addPasskey } from "../support/app/passkeys.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp();
const PROBLEM = "application/problem+json";

Deno.test("programs that accept problem+json get errors as RFC 9457 describes them", async () => {
  const { client, email } = await registerUser(app, "problems@example.com");
  const headers = { Accept: PROBLEM };
  const register = { name: "Ada", email, password: PASSWORD };
  const message = "Email already registered";
  const response = await client.send("POST", "/auth/register", register, headers);
  deepStrictEqual([response.status, response.headers.get("Content-Type")], [409, PROBLEM]);
  strictEqual(response.headers.get("Cache-Control"), "no-store");
  deepStrictEqual(await response.json(), {
    type: "about:blank",
    title: "Conflict",
    status: 409,
    detail: message,
    code: "EMAIL_TAKEN",
    errors: { email: [message] },
  });
  const others: [init: RequestInit, path: string, status: number, title: string, header?: string][] = [
    [{}, "/api/users?limit=0", 400, "Bad Request"],
    [{}, "/api/nothing", 404, "Not Found"],
    [{ method: "PUT" }, "/api/users", 405, "Method Not Allowed", "Allow"],
    [{ method: "FROB" }, "/api/users", 405, "Method Not Allowed", "Allow"],
    [{ method: "POST" }, "/auth/login", 415, "Unsupported Media Type"],
  ];
  for (const [init, path, status, title, header] of others) {
    const response = await client.request(path, { ...init, headers });
    const body = await response.json();
    deepStrictEqual([response.status, body.status, body.title], [status, status, title], path);
    if (header !== undefined) match(response.headers.get(header)!, /GET/);
  }
});

Deno.test("the form of an error follows the preference in Accept", async () => {
  const cases: [accept: string, isProblem: boolean][] = [
    [PROBLEM, true],
    ["Application/Problem+JSON", true],
    [`application/json, ${PROBLEM}`, true],
    [`${PROBLEM};q=0.5, text/html`, true],
    [`application/json, ${PROBLEM};q=0.5`, false],
    [`${PROBLEM};q=0`, false],
    ["application/json", false],
    ["*/*", false],
    ["application/*", false],
    ["", false],
  ];
  for (const [accept, isProblem] of cases) {
    const response = await app.client().get("/api/profile", { Accept: accept });
    strictEqual(response.status, 401);
    strictEqual(response.headers.get("Content-Type"), isProblem ? PROBLEM : "application/json", accept);
  }
  const page = await app.client().get("/nothing", { Accept: PROBLEM });
  match(page.headers.get("Content-Type")!, /^text\/html/);
});

Deno.test("each list names its next page in the header Link", async () => {
  const { client, email } = await registerVerifiedUser(app, "lists@example.com");
  await logIn(app.client(), email);
  for (const name of ["Laptop", "Phone"]) {
    await createToken(client, { name });
    await addPasskey(client, { name });
  }
  for (const filename of ["a.txt", "b.txt"]) {
    const file = { filename, contentType: "text/plain", size: 1 };
    const { key, presignedUrl } = await (await client.send("POST", "/api/upload/presign", file)).json();
    const url = new URL(presignedUrl);
    const init = { method: "PUT", body: "x", headers: { "Content-Type": "text/plain" } };
    strictEqual((await client.request(url.pathname + url.search, init)).status, 200, key);
  }
  const lists = ["users", "uploads", "tokens", "passkeys", "account/events", "account/sessions"];
  for (const path of lists.map((name) => `/api/${name}`)) {
    const all = (await (await client.get(path)).json()).data;
    const seen = [];
    let next: string | undefined = `${path}?limit=1`;
    while (next !== undefined) {
      const response = await client.get(next);
      const { data, nextCursor } = await response.json();
      seen.push(...data);
      const link = response.headers.get("Link");
      strictEqual(link === null, nextCursor === null);
      const target = /^<http:\/\/foyer\.test(\/[^>]+)>; rel="next"$/.exec(link ?? "");
      strictEqual(target === null, link === null);
      next = target?.[1];
    }
    deepStrictEqual(seen, all, path);
    strictEqual(seen.length > 1, true, path);
  }
  deepStrictEqual(await (await client.get("/api/account/identities")).json(), { data: [], nextCursor: null });
});
