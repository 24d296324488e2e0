import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { createHash } from "node:crypto";
import { readPage } from "../support/app/page_reader.ts";
import { logIn, mailedToken, PASSWORD, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import { problemOf } from "../support/app/test_client.ts";

/** The range API of a service that knows breached passwords. `answer` computes the response to a prefix of a hash. */
const breaches = { asked: [] as string[], answer: (_prefix: string): Promise<Response> => Promise.resolve(range()) };
const service = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
  const prefix = new URL(request.url).pathname.slice("/range/".length);
  breaches.asked.push(prefix);
  return breaches.answer(prefix);
});
Deno.test.afterAll(() => service.shutdown());

const app = await openSharedTestApp({ BREACHED_PASSWORDS_URL: `http://127.0.0.1:${service.addr.port}/range/` });
const { db } = app.services;
const BREACHED = "Leaked-horse-7";
const NEW_PASSWORD = "Battery-staple-8";
const GUESSABLE = ["Is too easy to guess"];

function range(...passwords: string[]): Response {
  return new Response(passwords.map((each) => `${hashOf(each).slice(5)}:2\r\n`).join(""));
}

function hashOf(password: string): string {
  return createHash("sha1").update(password.normalize("NFKC")).digest("hex").toUpperCase();
}

const refusalOf = (field: string, messages = GUESSABLE) => [400, "VALIDATION_FAILED", { [field]: messages }];

Deno.test("a registration with a guessable password is refused, and nothing is stored", async () => {
  const email = "countess@example.com";
  for (const password of ["Password1!", "Foyer2026!", "Countess-1", "AdaLovelace1!"]) {
    const response = await app.client().send("POST", "/auth/register", { name: "Ada Lovelace", email, password });
    deepStrictEqual(await problemOf(response), refusalOf("password"), password);
  }
  deepStrictEqual(await db.selectFrom("users").select("id").where("email", "=", email).execute(), []);

  const client = app.client();
  const page = await client.submit("/register", { name: "Ada Lovelace", email, password: "Welcome2024!" });
  const form = await readPage(page);
  strictEqual(page.status, 400);
  strictEqual(
    form.field("password").error,
    "Too easy to guess. Avoid common words, your name and your email address",
  );
  strictEqual(form.field("email").value, email);
  doesNotMatch(form.html, /Welcome2024/);
  strictEqual((await client.submit("/register", { name: "Ada Lovelace", email, password: PASSWORD })).status, 303);
});

Deno.test("a reset with a guessable password is refused, and its link still works", async () => {
  const { email } = await registerVerifiedUser(app, "forgetful@example.com", "Grace Hopper");
  await app.client().send("POST", "/auth/forgot-password", { email });
  const token = await mailedToken(app, email);
  const reset = (password: string) => app.client().send("POST", "/auth/reset-password", { email, token, password });
  for (const password of ["Qwerty123$", "GraceHopper-1", "Forgetful99!"]) {
    deepStrictEqual(await problemOf(await reset(password)), refusalOf("password"), password);
  }
  const page = await app.client().submit("/reset-password", { email, token, password: "Hopper2026!" });
  match((await readPage(page)).field("password").error!, /^Too easy to guess/);
  strictEqual((await reset(NEW_PASSWORD)).status, 200);
  strictEqual((await logIn(app.client(), email, NEW_PASSWORD)).status, 200);
});

Deno.test("a wrong reset link reveals nothing about the name of the account", async () => {
  const { email } = await registerVerifiedUser(app, "private@example.com", "Katherine Johnson");
  for (const password of ["Katherine1!", "Password1!"]) {
    const response = await app.client().send("POST", "/auth/reset-password", { email, token: "x", password });
    strictEqual((await response.json()).code, "INVALID_TOKEN", password);
  }
});

Deno.test("an invitation does not accept a guessable password", async () => {
  const { client } = await registerVerifiedUser(app, "host@example.com");
  const email = "guest@example.com";
  await client.send("POST", "/api/users", { email, name: "Annie Easley" });
  const token = await mailedToken(app, email);
  const page = await app.client().submit("/reset-password?invitation=true", { email, token, password: "Annie-1933" });
  match((await readPage(page)).field("password").error!, /^Too easy to guess/);
});

Deno.test("a change to a guessable password is refused, and so is a guessable first password", async () => {
  const { client, id } = await registerVerifiedUser(app, "changing@example.com", "Radia Perlman");
  const change = (fields: object) => client.send("PUT", "/api/account/password", fields);
  const newPassword = "Perlman-123";
  deepStrictEqual(await problemOf(await change({ currentPassword: PASSWORD, newPassword })), refusalOf("newPassword"));
  const page = await client.submit("/settings/password", { currentPassword: PASSWORD, password: newPassword });
  match((await readPage(page)).field("password").error!, /^Too easy to guess/);
  const wrong = await change({ currentPassword: "Wrong-horse-77", newPassword });
  strictEqual((await wrong.json()).code, "PROOF_WRONG");

  await db.updateTable("users").set({ password_hash: null }).where("id", "=", id).execute();
  deepStrictEqual(await problemOf(await change({ newPassword })), refusalOf("newPassword"));
  strictEqual((await change({ newPassword: NEW_PASSWORD })).status, 200);
});

Deno.test("a breached password is refused, and guessable ones are not sent to the service", async () => {
  breaches.asked = [];
  breaches.answer = () => Promise.resolve(range("Other-horse-1", BREACHED));
  const fields = { name: "Ada Lovelace", email: "breached@example.com" };
  const register = (password: string) => app.client().send("POST", "/auth/register", { ...fields, password });
  deepStrictEqual(
    await problemOf(await register(BREACHED)),
    refusalOf("password", ["Has appeared in a data breach"]),
  );
  deepStrictEqual(await problemOf(await register("Password1!")), refusalOf("password"));
  deepStrictEqual(breaches.asked, [hashOf(BREACHED).slice(0, 5)]);
  const page = await app.client().submit("/register", { ...fields, password: "Ｌeaked-horse-7" });
  match((await readPage(page)).field("password").error!, /^Found in a data breach\./);
  strictEqual((await register(PASSWORD)).status, 201);
});

Deno.test("passwords are accepted while the service does not respond, with a line in the log", async () => {
  breaches.answer = () => Promise.resolve(new Response("down", { status: 503 }));
  const before = app.logLines.length;
  await registerUser(app, "outage@example.com");
  const line = app.logLines.slice(before).find((each) => each.includes("breached"))!;
  const { level, message, reason } = JSON.parse(line);
  deepStrictEqual([level, message, reason], [
    "warn",
    "a new password was not compared with breached ones",
    "Error: The service responded with 503",
  ]);
  ok(!line.includes(hashOf(PASSWORD).slice(0, 5)));
});

Deno.test("the service is asked outside of transactions", async () => {
  const { email, client, id } = await registerVerifiedUser(app, "waiting@example.com");
  await app.client().send("POST", "/auth/forgot-password", { email });
  const token = await mailedToken(app, email);
  breaches.asked = [];
  breaches.answer = async () => {
    // It would wait for a transaction that holds the only connection, or the lock of the user.
    await db.updateTable("users").set({ bio: "" }).where("id", "=", id).execute();
    return range(BREACHED);
  };
  const change = { currentPassword: PASSWORD, newPassword: BREACHED };
  const responses = [
    await client.send("PUT", "/api/account/password", change),
    await client.send("POST", "/auth/reset-password", { email, token, password: BREACHED }),
    await client.send("POST", "/auth/register", { name: "Ada", email: "later@example.com", password: BREACHED }),
  ];
  deepStrictEqual(responses.map(({ status }) => status), [400, 400, 400]);
  strictEqual(breaches.asked.length, 3);
});
