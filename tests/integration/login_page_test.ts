import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { PASSWORD, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { authorizePath } from "../support/app/authorize_page.ts";
import { readPage } from "../support/app/page_reader.ts";
import { openSharedTestApp, openTestApp, openTestInstanceWith } from "../support/app/test_app.ts";

const CLIENTS_FILE = decodeURIComponent(new URL("../fixtures/clients/clients.json", import.meta.url).pathname);
const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0" });

Deno.test("the form logs in and redirects to the dashboard", async () => {
  const { email } = await registerVerifiedUser(app, "page@example.com", "Paige");
  const client = app.client();
  const response = await client.submit("/login", { email, password: PASSWORD });
  strictEqual(response.status, 303);
  strictEqual(response.headers.get("Location"), "/dashboard");
  strictEqual((await readPage(client.get("/dashboard"))).heading, "Hello, Paige");
});

Deno.test("login redirects to the requested page, if it is a page of the app", async () => {
  const { email } = await registerVerifiedUser(app, "next@example.com");
  const asked = await app.client().get("/profile?x=1");
  strictEqual(asked.status, 303);
  strictEqual(asked.headers.get("Location"), "/login?next=%2Fprofile%3Fx%3D1");
  const cases = [
    ["/profile?x=1", "/profile?x=1"],
    ["//evil.example", "/dashboard"],
    ["/\\evil.example", "/dashboard"],
    ["https://evil.example", "/dashboard"],
  ];
  for (const [next, location] of cases) {
    const client = app.client();
    const path = `/login?${new URLSearchParams({ next })}`;
    const response = await client.submit(path, { email, password: PASSWORD });
    strictEqual(response.headers.get("Location"), location, next);
    strictEqual((await client.get(path)).headers.get("Location"), location, "already logged in");
  }
});

Deno.test("the page says what it leads to: an app, or the host of a product", async () => {
  await using app = await openTestApp({
    CLIENTS_FILE,
    RETURN_ORIGINS: "http://notes.foyer.test",
    COOKIE_DOMAIN: "foyer.test",
  });
  const cases: [next: string, expected: RegExp | null][] = [
    [authorizePath("wiki", { redirect_uri: "https://wiki.example.com/callback" }), /to continue to .?Team wiki/],
    ["http://notes.foyer.test/today", /to continue to .?notes\.foyer\.test/],
    ["/uploads", null],
    [authorizePath("Your bank"), null],
    ["https://other.example/", null],
  ];
  for (const [next, expected] of cases) {
    const { text } = await readPage(app.client().get(`/login?${new URLSearchParams({ next })}`));
    if (expected === null) doesNotMatch(text, /to continue/, next);
    else match(text, expected);
  }
});

Deno.test("registration keeps the requested page, and ends there", async () => {
  const login = await readPage(app.client().get("/login?next=%2Fuploads"));
  ok(login.leadsTo("/register?next=%2Fuploads"));
  const register = await readPage(app.client().get("/register?next=%2Fuploads"));
  ok(register.leadsTo("/login?next=%2Fuploads"));
  strictEqual(register.form().action, "/register?next=%2Fuploads");
  const cases = [["/uploads", "/uploads"], ["//evil.example", "/dashboard"]];
  for (const [index, [next, location]] of cases.entries()) {
    const fields = { name: "Nora", email: `nora-${index}@example.com`, password: PASSWORD };
    const response = await app.client().submit(`/register?${new URLSearchParams({ next })}`, fields);
    strictEqual(response.status, 303);
    strictEqual(response.headers.get("Location"), location);
  }
});

Deno.test("a refused form shows the entered values and the errors beside their fields, but no password", async () => {
  const response = await app.client().submit("/login", { email: "<b>nobody", password: PASSWORD });
  strictEqual(response.status, 400);
  strictEqual(response.headers.get("Cache-Control"), "no-store");
  const page = await readPage(response);
  const { error, value, attribute } = page.field("email");
  strictEqual(error, "Enter an email address like name@example.com");
  strictEqual(attribute("aria-describedby"), "email-error");
  strictEqual(value, "<b>nobody");
  ok(!page.html.includes(PASSWORD));

  const wrong = await app.client().submit("/login", { email: "nobody@example.com", password: PASSWORD });
  strictEqual(wrong.status, 401);
  match((await readPage(wrong)).message!, /That email and password don’t match\./);
});

Deno.test("an empty field has one error", async () => {
  const page = await readPage(app.client().submit("/login", { email: "", password: "" }));
  strictEqual(page.field("email").error, "Enter your email address");
  strictEqual(page.field("password").error, "Enter your password");
});

Deno.test("the right password of an unconfirmed address redirects to the page that can confirm it", async () => {
  const { email } = await registerUser(app, "unconfirmed+1@example.com");
  const client = app.client();
  const response = await client.submit("/login", { email, password: PASSWORD });
  strictEqual(response.status, 303);
  strictEqual(response.headers.get("Location"), "/verify-email?email=unconfirmed%2B1%40example.com");
  ok(!client.cookies.has("auth_session"));
});

Deno.test("pages without islands load no script but that of forms", async () => {
  const withForm = ["/forgot-password", "/verify-email"];
  for (const path of ["/", "/users", "/nothing", ...withForm]) {
    const scripts = (await readPage(app.client().get(path))).findAll("script");
    const sources = new Set(scripts.map((script) => script.getAttribute("src")?.split("?")[0]));
    deepStrictEqual([...sources], withForm.includes(path) ? ["/forms.js"] : [], path);
  }
});

Deno.test("the login page loads no framework, only the scripts for forms and passkeys", async () => {
  const response = await app.client().get("/login");
  strictEqual(response.headers.get("Link"), null);
  const scripts = (await readPage(response)).findAll("script");
  ok(scripts.every((script) => script.hasAttribute("defer") && script.textContent === ""));
  const sources = scripts.map((script) => script.getAttribute("src")!);
  deepStrictEqual(new Set(sources.map((source) => source.split("?")[0])), new Set(["/passkeys.js", "/forms.js"]));
  for (const source of sources) match((await app.client().get(source)).headers.get("Cache-Control")!, /immutable/);
});

Deno.test("the header and the footer mark the links of the page that is shown, and no others", async () => {
  const { id } = await registerVerifiedUser(app, "marked@example.com");
  const cases: [path: string, marks: string[]][] = [
    ["/", []],
    ["/login", ["/login page"]],
    ["/register", ["/register page"]],
    ["/docs", ["/docs page"]],
    ["/login-code", []],
    ["/users", ["/users page", "/users page"]],
    [`/users/${id}`, ["/users true", "/users true"]],
    ["/no-such-page", []],
  ];
  // The second time, the markup is repeated.
  for (const [path, marks] of [...cases, ...cases]) {
    const page = await readPage(app.client().get(path));
    const links = page.findAll("body > :not(main) a:is([aria-current=page], [aria-current=true])");
    deepStrictEqual(
      links.map((each) => `${each.getAttribute("href")} ${each.getAttribute("aria-current")}`),
      marks,
      path,
    );
  }
});

Deno.test("the address that was typed goes along to the other pages and back, without scripts", async () => {
  await using withCodes = await openTestInstanceWith(app, { signInCodes: true });
  const open = (path: string) => readPage(withCodes.client().get(path));
  const typed = "ada+wiki@example.com";
  const refused = await readPage(withCodes.client().submit("/login?next=%2Fuploads", { email: typed, password: "x" }));
  const query = "?email=ada%2Bwiki%40example.com&next=%2Fuploads";
  for (const path of ["/forgot-password", "/login-code"]) {
    ok(refused.leadsTo(path + query), path);
    const page = await open(path + query);
    deepStrictEqual([page.field("email").value, page.leadsTo(`/login${query}`)], [typed, true], path);
  }
  strictEqual((await open(`/login${query}`)).field("email").value, typed);
  const mistyped = await readPage(withCodes.client().submit("/forgot-password", { email: "" }));
  ok(mistyped.leadsTo("/login"));
});

Deno.test("what guests see is not repeated for members, nor a plain form for one with a query or an error", async () => {
  const plain = await (await app.client().get("/login")).text();
  ok(plain.includes("Create account"));
  const { email } = await registerVerifiedUser(app, "after@example.com", "Ada After");
  const withAddress = await readPage(app.client().get("/login?email=ada%40example.com"));
  strictEqual(withAddress.field("email").value, "ada@example.com");
  ok((await readPage(app.client().get("/login?next=%2Fuploads"))).leadsTo("/login?next=%2Fuploads"));
  const refused = await readPage(app.client().submit("/login", { email: "typed@example.com", password: "x" }));
  strictEqual(refused.field("email").value, "typed@example.com");

  const member = app.client();
  await member.submit("/login", { email, password: PASSWORD });
  match((await readPage(member.get("/users"))).textAt("header")!, /Ada After/);
  const again = await (await app.client().get("/login")).text();
  const withoutFormIds = (html: string) => html.replaceAll(/name="form_id" value="[^"]*"/g, "");
  strictEqual(withoutFormIds(again), withoutFormIds(plain));
  ok(again !== plain, "the ids of the forms differ");
});
