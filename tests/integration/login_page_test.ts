import { match, ok, strictEqual } from "node:assert/strict";
import { PASSWORD, registerVerifiedUser } from "../support/accounts.ts";
import { openSharedTestApp } from "../support/test_app.ts";

const app = await openSharedTestApp();

Deno.test("the form logs in and leads on", async () => {
  const { email } = await registerVerifiedUser(app, "page@example.com", "Paige");
  const client = app.client();
  const response = await client.submit("/login", { email, password: PASSWORD });
  strictEqual(response.status, 303);
  strictEqual(response.headers.get("Location"), "/");
  match(await (await client.get("/")).text(), /You are logged in as Paige/);
});

Deno.test("a refused form comes back with what was typed, the errors beside their fields, and no password", async () => {
  const response = await app.client().submit("/login", { email: "<b>nobody", password: PASSWORD });
  strictEqual(response.status, 400);
  strictEqual(response.headers.get("Cache-Control"), "no-store");
  const html = await response.text();
  match(html, /role="alert"/);
  match(html, /id="email-error"[^>]*>Must be a valid email address/);
  match(html, /aria-describedby="email-error"/);
  match(html, /value="&lt;b>nobody"|value="&lt;b&gt;nobody"/);
  ok(!html.includes(PASSWORD));

  const wrong = await app.client().submit("/login", { email: "nobody@example.com", password: PASSWORD });
  strictEqual(wrong.status, 401);
  match(await wrong.text(), /Invalid email or password/);
});

Deno.test("pages without islands ship no script", async () => {
  for (const path of ["/", "/login", "/nothing"]) {
    ok(!(await (await app.client().get(path)).text()).includes("<script"), path);
  }
});
