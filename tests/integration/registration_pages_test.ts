import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import type { Config } from "../../lib/config/config.ts";
import { mailedToken, PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { mainOf } from "../support/app/page_forms.ts";
import { openSharedTestApp, openTestInstance, type TestInstance } from "../support/app/test_app.ts";
import { markupProblems } from "../support/browser/markup.ts";

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
  const change = (services: typeof app.services) => ({ ...services, config: { ...services.config, ...settings } });
  const instance = await openTestInstance(app, change);
  Deno.test.afterAll(() => instance[Symbol.asyncDispose]());
  return instance;
}

async function html(path: string, { client } = { client: app.client }): Promise<string> {
  const page = await (await client().get(path)).text();
  deepStrictEqual(await markupProblems(page), [], path);
  return page;
}

Deno.test("pages link to the registration only where it is open", async () => {
  for (const path of ["/", "/login", "/users", "/register", "/forgot-password", "/none"]) {
    match(await html(path), /href="\/register/, path);
    match(await html(path, restricted), /href="\/register/, path);
    for (const instance of [invited, closed]) {
      doesNotMatch(await html(path, instance), /href="\/register|Create account|Create an account/, path);
      doesNotMatch(await html(`${path}?next=/profile`, instance), /href="\/register/, path);
    }
    match(await html(path), /href="\/register/, `${path}: again, because the header is rendered once`);
  }
});

Deno.test("the page for registering explains why there is no form", async () => {
  const byInvitation = await html("/register?next=/profile", invited);
  match(byInvitation, /<h1[^>]*>You need an invitation<.*href="\/login\?next=%2Fprofile".*href="\/forgot-password/s);
  const byNoOne = await html("/register", closed);
  match(byNoOne, /<h1[^>]*>Registration is closed<.*href="\/login"/s);
  for (const page of [byInvitation, byNoOne]) doesNotMatch(mainOf(page), /<form|Continue with|auth\/idp/);

  const refused = await invited.client().submit("/register", {
    name: "Ada",
    email: "ada@example.com",
    password: PASSWORD,
  });
  strictEqual(refused.status, 403);
  match(await refused.text(), /You need an invitation/);
});

Deno.test("forms name the allowed domains and say which field is wrong", async () => {
  doesNotMatch(await html("/register"), /Use an address/);
  match(await html("/register", restricted), new RegExp(`<p[^>]* id="email-hint">${DOMAINS} We’ll email`));
  const fields = { name: "Ada", email: "ada@example.com", password: PASSWORD };
  const refused = await (await restricted.client().submit("/register", fields)).text();
  match(refused, /id="email-error">Use an address at a domain that is accepted here</);
  match(refused, /value="ada@example.com"/);

  await registerVerifiedUser(app, "moves@example.com");
  const client = restricted.client();
  await client.send("POST", "/auth/login", { email: "moves@example.com", password: PASSWORD });
  match(await (await client.get("/settings/email")).text(), new RegExp(`id="email-hint">${DOMAINS}<`));
  const unmoved = await client.submit("/settings/email", { email: "other@example.com" });
  match(await unmoved.text(), /id="email-error">Use an address at a domain that is accepted here</);
});

Deno.test("the page of a change that is no longer allowed says so, and the link works again once it is", async () => {
  const { client } = await registerVerifiedUser(app, "waits@example.com");
  await client.send("POST", "/api/account/email", { email: "waits-new@example.com" });
  const token = await mailedToken(app, "waits-new@example.com");
  const path = `/confirm-email?token=${token}`;
  match(await html(path), /Do you want to use waits-new@example\.com/);
  const opened = await html(path, restricted);
  match(opened, /This address can’t be used anymore/);
  doesNotMatch(mainOf(opened), /<form/);
  const pressed = await restricted.client().submit("/confirm-email", { token });
  strictEqual(pressed.status, 400);
  match(await pressed.text(), /This address can’t be used anymore/);
  strictEqual((await app.client().submit("/confirm-email", { token })).status, 303);
});

Deno.test("the login page explains a refusal at a provider", async () => {
  const page = await html("/login?error=registration_closed", closed);
  match(page, /No account here uses your email address at Contoso, and you can’t create one with it\./);
});
