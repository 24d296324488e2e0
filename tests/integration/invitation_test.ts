import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { mailedToken, PASSWORD, registerUser } from "../support/accounts.ts";
import { openSharedTestApp } from "../support/test_app.ts";

const app = await openSharedTestApp();
const { client } = await registerUser(app, "host@example.com");

Deno.test("an invited user sets a password by the mailed link and can log in", async () => {
  const email = "guest@example.com";
  const response = await client.send("POST", "/api/users", { email: " Guest@example.com", name: "Guest" });
  strictEqual(response.status, 201);
  const { data } = await response.json();
  const createdAt = Math.floor(app.services.now().getTime() / 1000);
  deepStrictEqual(data, { id: data.id, name: "Guest", email, avatar: null, provider: "email", createdAt });

  strictEqual((await app.client().send("POST", "/auth/login", { email, password: PASSWORD })).status, 401);
  const token = await mailedToken(app, email);
  match(
    app.mails.find(({ to }) => to === email)!.text,
    /http:\/\/foyer\.test\/reset-password\?email=guest%40example\.com&token=/,
  );
  const reset = await app.client().send("POST", "/auth/reset-password", { email, token, password: PASSWORD });
  strictEqual(reset.status, 200);
  const guest = app.client();
  strictEqual((await guest.send("POST", "/auth/login", { email, password: PASSWORD })).status, 200);
  const { user } = await (await guest.get("/api/profile")).json();
  deepStrictEqual([user.id, user.name, user.emailVerified], [data.id, "Guest", true]);
});

Deno.test("inviting wants a session and an address that has no user", async () => {
  const body = { email: "other@example.com", name: "Other" };
  const anonymous = await app.client().send("POST", "/api/users", body);
  strictEqual(anonymous.status, 401);
  const taken = await client.send("POST", "/api/users", { ...body, email: "host@example.com" });
  strictEqual(taken.status, 409);
  strictEqual((await taken.json()).code, "EMAIL_TAKEN");
  await app.deliverMails();
  deepStrictEqual(app.mails.filter(({ to }) => to === "other@example.com"), []);
});

Deno.test("an invitation that still waits is not mailed once another link has been asked for", async () => {
  const email = "hasty@example.com";
  strictEqual((await client.send("POST", "/api/users", { email, name: "Hasty" })).status, 201);
  await app.client().send("POST", "/auth/forgot-password", { email });
  await app.deliverMails();
  deepStrictEqual(app.mails.filter(({ to }) => to === email).map(({ subject }) => subject), ["Set a new password"]);
});
