import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import type { Config } from "../../lib/config/config.ts";
import { logIn, mailedToken, PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { type Page, readPage } from "../support/app/page_reader.ts";
import { openSharedTestApp, openTestInstanceWith, type TestInstance } from "../support/app/test_app.ts";
import { readValidPage } from "../support/browser/markup.ts";

const app = await openSharedTestApp({
  LOGIN_MAX_ATTEMPTS: "0",
  IDP_AUTH_URL: "https://id.example/authorize",
  IDP_TOKEN_URL: "https://id.example/token",
  IDP_USERINFO_URL: "https://id.example/userinfo",
  IDP_CLIENT_ID: "foyer",
  IDP_CLIENT_SECRET: "secret",
  IDP_NAME: "Contoso",
});
const [invited, closed, restricted] = [
  await withSettings({ registration: "invited" }),
  await withSettings({ registration: "closed" }),
  await withSettings({ allowedEmailDomains: ["allowed.example", "other.example"] }),
];
const DOMAINS = "Use an address at allowed.example or other.example.";

async function withSettings(settings: Partial<Config>): Promise<TestInstance> {
  const instance = await openTestInstanceWith(app, settings);
  Deno.test.afterAll(() => instance[Symbol.asyncDispose]());
  return instance;
}

const pageAt = (path: string, { client } = { client: app.client }) => readValidPage(client().get(path));

const leadsToRegistration = ({ links }: Page) => links.some(({ href }) => href!.startsWith("/register"));

Deno.test("pages link to the registration only where it is open", async () => {
  for (const path of ["/", "/login", "/users", "/register", "/forgot-password", "/none"]) {
    ok(leadsToRegistration(await pageAt(path)), path);
    ok(leadsToRegistration(await pageAt(path, restricted)), path);
    for (const instance of [invited, closed]) {
      const page = await pageAt(path, instance);
      ok(!leadsToRegistration(page), path);
      doesNotMatch(page.html, /Create account|Create an account/, path);
      ok(!leadsToRegistration(await pageAt(`${path}?next=/profile`, instance)), path);
    }
    ok(leadsToRegistration(await pageAt(path)), `${path}: again, because the header is rendered once`);
  }
});

Deno.test("the page for registering explains why there is no form", async () => {
  const byInvitation = await pageAt("/register?next=/profile", invited);
  strictEqual(byInvitation.heading, "You need an invitation");
  ok(byInvitation.leadsTo("/login?next=%2Fprofile"));
  ok(byInvitation.links.some(({ href }) => href!.startsWith("/forgot-password")));
  const byNoOne = await pageAt("/register", closed);
  strictEqual(byNoOne.heading, "Registration is closed");
  ok(byNoOne.leadsTo("/login"));
  for (const { forms, links } of [byInvitation, byNoOne]) {
    deepStrictEqual([forms, links.filter(({ href }) => href!.includes("auth/idp"))], [[], []]);
  }

  const refused = await invited.client().submit("/register", {
    name: "Ada",
    email: "ada@example.com",
    password: PASSWORD,
  });
  strictEqual(refused.status, 403);
  strictEqual((await readPage(refused)).heading, "You need an invitation");
});

Deno.test("forms name the allowed domains and say which field is wrong", async () => {
  doesNotMatch((await pageAt("/register")).text, /Use an address/);
  ok((await pageAt("/register", restricted)).field("email").hint!.startsWith(`${DOMAINS} We’ll email`));
  const fields = { name: "Ada", email: "ada@example.com", password: PASSWORD };
  const REFUSED = "Use an address at a domain that is accepted here";
  const { error, value } = (await readPage(restricted.client().submit("/register", fields))).field("email");
  deepStrictEqual([error, value], [REFUSED, fields.email]);

  await registerVerifiedUser(app, "moves@example.com");
  const client = restricted.client();
  await logIn(client, "moves@example.com");
  strictEqual((await readPage(client.get("/settings/email"))).field("email").hint, DOMAINS);
  const unmoved = await readPage(client.submit("/settings/email", { email: "other@example.com" }));
  strictEqual(unmoved.field("email").error, REFUSED);
});

Deno.test("the page of a change that is no longer allowed says so, and the link works again once it is", async () => {
  const { client } = await registerVerifiedUser(app, "waits@example.com");
  await client.send("POST", "/api/account/email", { email: "waits-new@example.com" });
  const token = await mailedToken(app, "waits-new@example.com");
  const path = `/confirm-email?token=${token}`;
  match((await pageAt(path)).text, /Do you want to use waits-new@example\.com/);
  const opened = await pageAt(path, restricted);
  match(opened.text, /This address can’t be used anymore/);
  deepStrictEqual(opened.forms, []);
  const pressed = await restricted.client().submit("/confirm-email", { token });
  strictEqual(pressed.status, 400);
  match(await pressed.text(), /This address can’t be used anymore/);
  strictEqual((await app.client().submit("/confirm-email", { token })).status, 303);
});

Deno.test("the login page explains a refusal at a provider", async () => {
  const { message } = await pageAt("/login?error=registration_closed", closed);
  match(message!, /No account here uses your email address at Contoso, and you can’t create one with it\./);
});
