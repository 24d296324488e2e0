import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { mailedToken, PASSWORD, registerUser } from "../support/app/accounts.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp();

Deno.test("a registration returns 201 and the user, opens a session and emails a link", async () => {
  const client = app.client();
  const response = await client.send("POST", "/auth/register", {
    name: "  Grace Hopper ",
    email: " Grace@Example.COM ",
    password: PASSWORD,
  });

  strictEqual(response.status, 201);
  const body = await response.json();
  deepStrictEqual(body, {
    success: true,
    message: "Registration successful. Please check your email to verify your account.",
    user: { id: body.user.id, email: "grace@example.com", name: "Grace Hopper" },
  });
  match(body.user.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  match(
    response.headers.getSetCookie()[0],
    /^auth_session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict$/,
  );

  const { user } = await (await client.get("/api/profile")).json();
  strictEqual(user.emailVerified, false);
  match(await mailedToken(app, "grace@example.com"), /^[\w-]{43}$/);
});

Deno.test("a registered address is a conflict in upper and lower case", async () => {
  await registerUser(app, "taken@example.com");
  const response = await app.client().send("POST", "/auth/register", {
    name: "Somebody Else",
    email: "TAKEN@example.com",
    password: PASSWORD,
  });
  strictEqual(response.status, 409);
  deepStrictEqual(await response.json(), {
    message: "Email already registered",
    error: "Email already registered",
    code: "EMAIL_TAKEN",
    details: { email: ["Email already registered"] },
  });
  strictEqual(response.headers.get("Set-Cookie"), null);
});

Deno.test("a registration ends the session that its request presents, unless it fails", async () => {
  const person = (email: string) => ({ name: "Somebody Else", email, password: PASSWORD });
  for (const path of ["/auth/register", "/register"]) {
    const { client, email } = await registerUser(app, `before-${path.length}@example.com`);
    const register = (email: string) =>
      path.startsWith("/auth") ? client.send("POST", path, person(email)) : client.submit(path, person(email));
    const before = { Cookie: `auth_session=${client.cookies.get("auth_session")}` };
    strictEqual((await register(email)).status, 409, path);
    strictEqual((await app.client().get("/api/profile", before)).status, 200, path);
    ok((await register(`after-${path.length}@example.com`)).status < 400, path);
    strictEqual((await app.client().get("/api/profile", before)).status, 401, path);
    const { user } = await (await client.get("/api/profile")).json();
    strictEqual(user.email, `after-${path.length}@example.com`);
  }
});

Deno.test("of many concurrent registrations of one address, exactly one succeeds and sends an email", async () => {
  const attempts = Array.from(
    { length: 20 },
    () => app.client().send("POST", "/auth/register", { name: "Twin", email: "twin@example.com", password: PASSWORD }),
  );
  const statuses = (await Promise.all(attempts)).map((response) => response.status).sort();
  deepStrictEqual(statuses, [201, ...Array(19).fill(409)]);
  await app.deliverMails();
  strictEqual(app.mails.filter(({ to }) => to === "twin@example.com").length, 1);
});
