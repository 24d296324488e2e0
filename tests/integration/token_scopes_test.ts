import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { findPresentedToken } from "../../lib/access/api_token.ts";
import { ENTRIES } from "../support/api/entries.ts";
import { tokenAccessOf } from "../../lib/api/entry.ts";
import { type Scope, SCOPES, type TokenAccess } from "../../lib/schemas/scopes.ts";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { createToken } from "../support/app/api_tokens.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp({ SIGN_IN_CODES: "true" });
const { client, id } = await registerVerifiedUser(app, "scopes@example.com");
await app.services.db.updateTable("users").set({ role: "admin" }).where("id", "=", id).execute();

/** A path of the route. Its parameter names nothing that exists. */
function pathOf(pattern: string): string {
  return pattern.replace(/\{\w+\*?\}/, "nothing");
}

/** The refusal of a token with this scope where it gives no access. */
function refusalOf(scope: Scope, access: TokenAccess): unknown[] {
  const needed = access === "adminSession" ? "admin" : access;
  if (needed === "session" || needed === scope) return [403, "SESSION_REQUIRED", {}];
  return [403, "SCOPE_MISSING", { scopes: needed === null ? [] : [needed] }];
}

Deno.test("each scope covers exactly the endpoints whose entries name it", async () => {
  for (const scope of SCOPES) {
    const { headers } = await createToken(client, { scopes: [scope] });
    for (const [route, entry] of Object.entries(ENTRIES)) {
      if (entry.forApps !== undefined) continue; // API tokens mean nothing there
      const access = tokenAccessOf(entry);
      const [method, pattern] = route.split(" ");
      const response = await app.client().request(pathOf(pattern), { method, headers });
      const { code, details } = await response.json().catch(() => ({}));
      const cell = `${scope}: ${route}`;
      const refusal = [response.status, code, details];
      if (access === scope) ok(!["SCOPE_MISSING", "SESSION_REQUIRED", "UNAUTHENTICATED"].includes(code), cell);
      else deepStrictEqual(refusal, refusalOf(scope, access), cell);
    }
  }
});

Deno.test("a method that an endpoint does not have is refused to tokens as to everyone", async () => {
  const { headers } = await createToken(client, { scopes: ["users:read"] });
  const response = await app.client().request("/api/profile", { method: "DELETE", headers });
  deepStrictEqual([response.status, response.headers.get("Allow")], [405, "GET, HEAD, PUT, OPTIONS"]);
});

Deno.test("tokens are refused on every page, and get 404 for unknown paths", async () => {
  const { headers } = await createToken(client, { scopes: [...SCOPES] });
  for (const path of ["/", "/dashboard", "/settings/tokens", "/users", `/users/${id}`, "/login", "/site.webmanifest"]) {
    strictEqual((await client.get(path, headers)).status, 403, path);
  }
  strictEqual((await client.submit("/logout", {})).status, 303, "without a token");
  for (const path of ["/api/nothing", "/nothing"]) {
    strictEqual((await app.client().get(path, headers)).status, 404, path);
  }
  const head = await app.client().request("/api/profile", { method: "HEAD", headers });
  strictEqual(head.status, 200);
});

Deno.test("a token loses the scope admin when its user loses the role", async () => {
  const admin = await registerVerifiedUser(app, "demoted@example.com");
  const setRole = (role: "admin" | "user") =>
    app.services.db.updateTable("users").set({ role }).where("id", "=", admin.id).execute();
  await setRole("admin");
  const { headers } = await createToken(admin.client, { scopes: ["admin", "profile:read"] });
  const scopes = () => findScopes(headers.Authorization.slice("Bearer ".length));
  deepStrictEqual(await scopes(), ["profile:read", "admin"]);
  await setRole("user");
  deepStrictEqual(await scopes(), ["profile:read"]);
});

async function findScopes(token: string): Promise<Scope[]> {
  return (await findPresentedToken(app.services, token))!.token.scopes;
}

Deno.test("the routes that a token covers work without cookies", async () => {
  const { client: owner } = await registerVerifiedUser(app, "covered@example.com");
  const { headers } = await createToken(owner);
  const program = app.client();
  const send = (method: "POST" | "PUT", path: string, body: unknown) => program.send(method, path, body, headers);
  strictEqual((await send("PUT", "/api/profile", { bio: "Written by a script" })).status, 200);
  strictEqual((await program.get("/api/users?limit=1", headers)).status, 200);
  strictEqual((await send("POST", "/api/users", { name: "Guest Person", email: "guest@example.com" })).status, 201);
  const file = { filename: "notes.txt", contentType: "text/plain" };
  const upload = await (await send("POST", "/api/upload/presign", file)).json();
  const { pathname, search } = new URL(upload.presignedUrl);
  const put = await program.request(pathname + search, {
    method: "PUT",
    body: "Notes",
    headers: { ...headers, "Content-Type": "text/plain" },
  });
  strictEqual(put.status, 200);
  const confirmed = await program.request(`/api/uploads/${upload.id}/confirm`, { method: "POST", headers });
  strictEqual((await confirmed.json()).data.status, "stored");
  strictEqual((await (await program.get("/api/uploads", headers)).json()).data.length, 1);
  strictEqual((await program.request(`/api/uploads/${upload.id}`, { method: "DELETE", headers })).status, 204);
  strictEqual((await program.get("/api/account/identities", headers)).status, 200);
  const { client: bystander } = await registerVerifiedUser(app, "bystander@example.com");
  const check = await bystander.get("/auth/check", headers);
  strictEqual(check.headers.get("X-Foyer-User-Email"), "covered@example.com", "not the user of the cookie");
});
