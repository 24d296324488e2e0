import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { findSetupLink } from "../../lib/accounts/first_admin.ts";
import { DAY_SECONDS } from "../../lib/duration.ts";
import { MAIL_KINDS } from "../../lib/mail/kinds.ts";
import { USER_PAGE_SIZE } from "../../lib/users/user_directory.ts";
import { PASSWORD, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { Page, readPage } from "../support/app/page_reader.ts";
import { withFailingDatabase } from "../support/database/failing_database.ts";
import { openSharedTestApp, openTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0" });

const SAVED = "Profile saved.";
const DEAD = "This link has expired or has already been used.";

Deno.test("pages for members redirect guests to the login page, and refuse their forms", async () => {
  for (const path of ["/dashboard", "/profile", "/uploads"]) {
    for (const method of ["GET", "HEAD"]) {
      const response = await app.client().request(path, { method });
      strictEqual(response.status, 303, path);
      strictEqual(response.headers.get("Location"), `/login?next=${encodeURIComponent(path)}`);
      strictEqual(response.headers.get("Cache-Control"), "no-store");
    }
    for (const method of ["POST", "PUT"]) {
      const response = await app.client().request(path, { method });
      strictEqual(response.status, 401, path);
      strictEqual(response.headers.get("Cache-Control"), "no-store");
      const link = (await readPage(response)).find('main a[target="_blank"]');
      strictEqual(link.getAttribute("href"), "/login");
    }
  }
});

Deno.test("a form refused for its missing session succeeds with one, but not from another site", async () => {
  const { client, id } = await registerVerifiedUser(app, "resent@example.com");
  const { form_id } = (await readPage(client.get("/uploads"))).form("/uploads").hidden;
  const send = (headers: Record<string, string> = {}) => {
    const body = new FormData();
    body.set("form_id", form_id);
    body.set("file", new File(["notes"], "notes.txt", { type: "text/plain" }));
    return client.request("/uploads", { method: "POST", body, headers });
  };
  const session = client.cookies.get("auth_session")!;
  client.cookies.delete("auth_session");
  strictEqual((await send()).status, 401);
  client.cookies.set("auth_session", session);
  strictEqual((await send({ Origin: "https://evil.example" })).status, 403);
  const response = await send();
  strictEqual(response.status, 303);
  strictEqual(response.headers.get("Location"), "/uploads");
  const { links } = await readPage(client.get("/uploads"));
  ok(links.some(({ href }) => new RegExp(`/files/private/${id}/.*-notes.txt`).test(href!)));
});

Deno.test("the home page redirects members to the dashboard, and a notice with them", async () => {
  const { client } = await registerVerifiedUser(app, "home@example.com");
  client.cookies.set("notice", "profile_saved");
  const response = await client.get("/");
  strictEqual(response.status, 303);
  strictEqual(response.headers.get("Location"), "/dashboard");
  strictEqual((await readPage(client.get("/dashboard"))).notice, SAVED);
});

const FIRST_STEPS = "main section ol > li > div";

Deno.test("the home page says in development what works and what is missing", async () => {
  await using fresh = await openTestApp({ DATA_DIR: "data" });
  const developer = fresh.client("127.0.0.1");
  const steps = async () => (await readPage(developer.get("/"))).textsAt(FIRST_STEPS);
  deepStrictEqual(await steps(), [
    "Done: It runs, with the embedded database in data.",
    "Done: Emails stay on this machine. Read them in the outbox.",
    "Make the first admin, with the link that deno task foyer setup-link prints.",
    "Set your name and your color: APP_NAME, BRAND_COLOR.",
    "Fill it with forty people: stop it, then type deno task seed.",
  ]);
  const page = await readPage(developer.get("/"));
  for (const path of ["/dev/outbox", "/dev/emails", "/docs"]) ok(page.leadsTo(path), path);
  const { search, pathname } = new URL((await findSetupLink(fresh.services))!);
  await fresh.client().submit(pathname + search, {
    name: "Ada",
    email: "ada@example.com",
    emailAgain: "ada@example.com",
    password: PASSWORD,
  });
  fresh.services.config.brand.settings.name = "Harbor";
  deepStrictEqual((await steps()).slice(2), [
    "Done: There is an admin.",
    "Done: It has your name or your color.",
    "Done: There are accounts.",
  ]);
});

Deno.test("no one else sees these steps, and they have no link that makes an admin", async () => {
  const token = new URL((await findSetupLink(app.services))!).searchParams.get("token")!;
  const developer = app.client("127.0.0.1");
  const page = await readPage(developer.get("/"));
  ok(page.textsAt(FIRST_STEPS).length > 3);
  ok(!page.html.includes(token) && !page.html.includes("/setup"));
  const strangers: [name: string, client: typeof developer, headers: Record<string, string>][] = [
    ["another machine", app.client("192.0.2.7"), {}],
    ["behind a proxy", developer, { "X-Forwarded-For": "192.0.2.7" }],
  ];
  const stepsOf = async ([, client, headers]: typeof strangers[number]) =>
    (await readPage(client.get("/", headers))).textsAt(FIRST_STEPS);
  for (const stranger of strangers) deepStrictEqual(await stepsOf(stranger), [], stranger[0]);
  app.services.config.isProduction = true;
  try {
    deepStrictEqual(await stepsOf(["production", developer, {}]), []);
  } finally {
    app.services.config.isProduction = false;
  }
});

Deno.test("the search of the API finds operations and errors, and leads to them", async () => {
  const cases: [query: string, links: string[], others: string[]][] = [
    ["log in", ["/docs?section=Sign-in#logIn"], ["/docs?section=Uploads#listUploads"]],
    ["POST /auth/login", ["/docs?section=Sign-in#logIn"], ["/docs?section=Sign-in#logOut"]],
    ["EXPIRESINDAYS", ["/docs?section=Tokens#createToken"], ["/docs?section=Sign-in#logIn"]],
    ["totp confirm", ["/docs?section=Second+factor#confirmTotp"], ["/docs?section=Sign-in#logIn"]],
    ["quota_exceeded", ["/docs#QUOTA_EXCEEDED"], ["/docs?section=Sign-in#logIn"]],
    ["nothing has this", [], ["/docs?section=Sign-in#logIn", "/docs#INTERNAL"]],
  ];
  for (const [query, links, others] of cases) {
    const page = await readPage(app.client().get(`/docs?query=${encodeURIComponent(query)}`));
    strictEqual(page.field("query").value, query);
    for (const link of links) {
      ok(page.leadsTo(link), `${query}: no ${link} among ${page.links.map(({ href }) => href)}`);
      const [address, id] = link.split("#");
      ok((await readPage(app.client().get(address))).findAll(`[id="${id}"]`).length === 1, link);
    }
    for (const link of others) ok(!page.leadsTo(link), `${query}: ${link}`);
    strictEqual(page.textAt(".empty"), links.length === 0 ? "Nothing found." : null);
    ok(page.leadsTo("/docs"));
  }
  strictEqual((await app.client().get(`/docs?query=${"x".repeat(101)}`)).status, 400);
});

Deno.test("only developers find links to the API on pages that are not about it", async () => {
  const guest = app.client();
  const { client } = await registerVerifiedUser(app, "developer@example.com");
  const linksToApi = async (visitor: typeof guest, path: string) =>
    (await readPage(visitor.get(path))).links.some(({ href }) => /^\/(?:api|docs)\b/.test(href!));
  ok(await linksToApi(guest, "/"));
  app.services.config.isProduction = true;
  try {
    ok(!await linksToApi(guest, "/"));
    ok(!await linksToApi(guest, "/users"));
    ok(await linksToApi(client, "/settings/tokens"));
  } finally {
    app.services.config.isProduction = false;
  }
});

Deno.test("the page says once that an email address is taken, and its links keep the address and the next page", async () => {
  const { email } = await registerUser(app, "taken@example.com");
  const client = app.client();
  const response = await client.submit("/register?next=%2Fuploads", { name: "Other", email, password: PASSWORD });
  strictEqual(response.status, 409);
  const page = await readPage(response);
  const { error, attribute } = page.field("email");
  strictEqual(error, "An account already uses this email address. Log in or reset your password.");
  strictEqual(page.html.split("An account already uses").length, 2, "once");
  strictEqual(attribute("aria-invalid"), "true");
  strictEqual(attribute("aria-describedby"), "email-hint email-error");
  deepStrictEqual(page.focused, ["email"]);
  strictEqual(page.title, "Error: Create your account · Foyer");
  const links = page.findAll("#email-error a").map((link) => link.getAttribute("href")!);
  const query = "?email=taken%40example.com&next=%2Fuploads";
  deepStrictEqual(links, [`/login${query}`, `/forgot-password${query}`]);
  for (const link of links) strictEqual((await readPage(client.get(link))).field("email").value, email);
});

Deno.test("a form with one error leads to its field, and one with several begins with a summary", async () => {
  const { client } = await registerVerifiedUser(app, "errors@example.com");
  const cases: [path: string, fields: Record<string, string>, first: string, hasSummary: boolean][] = [
    ["/login", { email: "ada@example.com", password: "" }, "password", false],
    ["/login", { email: "nowhere", password: PASSWORD }, "email", false],
    ["/login", { email: "", password: "" }, "summary", true],
    ["/login", { email: "ada@example.com", password: "Wrong-horse-7" }, "summary", true],
    ["/register", { name: "Ada", email: "ada", password: PASSWORD }, "email", false],
    ["/register", { name: "Ada", email: "ada@example.com", password: "short" }, "password", false],
    ["/register", { name: "Ada", email: "ada", password: "short" }, "summary", true],
    ["/settings/tokens/new", { tokenName: "Backup", expiresInDays: "30" }, "scopes", false],
    ["/settings/tokens/new", { tokenName: "", expiresInDays: "30" }, "summary", true],
    ["/settings/password", { currentPassword: "Wrong-horse-7", password: PASSWORD }, "currentPassword", false],
  ];
  for (const [path, fields, first, hasSummary] of cases) {
    const { focused, message, title } = await readPage(client.submit(path, fields));
    const what = `${path} ${JSON.stringify(fields)}`;
    strictEqual(focused[0] ?? "summary", first, what);
    strictEqual(message !== null, hasSummary, what);
    match(title, /^Error: /, what);
  }
});

Deno.test("the summary of a form names a field whose error does not", async () => {
  const fields = { name: "", email: "summary@example.com", password: "Password!" };
  const { summary } = await readPage(app.client().submit("/register", fields));
  deepStrictEqual(summary, [
    { text: "Enter your name", href: "#name" },
    { text: "Password: Add a number", href: "#password" },
  ]);
});

Deno.test("a refused confirmation does not claim that a link was emailed", async () => {
  const query = new URLSearchParams({ email: "check@example.com" });
  match((await readPage(app.client().get(`/verify-email?${query}`))).text, /We emailed a link to check@example/);
  const answer = { email: "check@example.com", token: "t".repeat(43), action: "verify" };
  const { title, message, buttons, text } = await readPage(app.client().submit("/verify-email", answer));
  deepStrictEqual([title, message], ["Error: Confirm your email address · Foyer", DEAD]);
  ok(buttons.some(({ value }) => value === "resend"));
  doesNotMatch(text, /We emailed/);
});

Deno.test("a notice is shown once, and a forged notice is not shown", async () => {
  const { client } = await registerVerifiedUser(app, "notice@example.com");
  const response = await client.submit("/profile", { name: "Notice" });
  strictEqual(response.status, 303);
  match(response.headers.get("Set-Cookie")!, /^notice=profile_saved; Max-Age=60; Path=\/; HttpOnly; SameSite=Lax$/);
  await client.get("/styles.css");
  await client.get("/mark.svg");
  await client.request("/profile", { method: "HEAD" });
  await client.get("/profile", { "Sec-Fetch-Dest": "empty" });
  strictEqual((await readPage(client.get("/profile"))).notice, SAVED);
  strictEqual((await readPage(client.get("/profile"))).notice, null);

  for (const forged of ["constructor", "<b>x</b>", ""]) {
    const page = await readPage(app.client().get("/", { Cookie: `notice=${encodeURIComponent(forged)}` }));
    strictEqual(page.notice, null, forged);
  }
});

Deno.test("a notice about an email or a password stays until the person opens another page", async () => {
  const { email } = await registerVerifiedUser(app, "lasting@example.com");
  const client = app.client();
  const shows = async (path: string) => (await readPage(client.get(path))).notice !== null;
  const request = () => client.submit("/forgot-password?sent=true", { email });
  const sent = (await request()).headers.get("Location")!;
  ok(!await shows("/styles.css"));
  for (let reloads = 0; reloads < 3; reloads++) ok(await shows(sent));
  match((await client.get(sent)).headers.get("Set-Cookie")!, /^notice=reset_sent\/forgot-password; Max-Age=3600;/);
  ok(!await shows("/login"), "on another page");
  ok(!await shows(sent), "back from another page");

  ok(await shows((await request()).headers.get("Location")!));
  const refused = await readPage(client.submit("/forgot-password", { email: "" }));
  strictEqual(refused.notice, null, "with the error of the next form");
  ok(!await shows("/forgot-password"), "after the next form");
});

Deno.test("an error page shows no notice of an earlier success", async () => {
  const { client } = await registerVerifiedUser(app, "stale@example.com");
  await client.submit("/profile", { name: "Stale" });
  const refused = await readPage(client.submit("/profile", { name: "" }));
  ok(refused.field("name").error);
  strictEqual(refused.notice, null);
});

Deno.test("a page that shows a notice also renews the session cookie", async () => {
  const { client } = await registerVerifiedUser(app, "extended@example.com");
  await client.submit("/profile", { name: "Extended" });
  app.advance(4 * DAY_SECONDS);
  const cookies = (await client.get("/profile")).headers.getSetCookie().map((line) => line.split("=")[0]);
  strictEqual(cookies.sort().join(), "auth_session,notice");
});

Deno.test("logging out by the form ends the session, and a second logout succeeds too", async () => {
  const { client } = await registerVerifiedUser(app, "logout@example.com");
  const session = client.cookies.get("auth_session")!;
  for (let click = 0; click < 2; click++) {
    const response = await client.submit("/logout", {});
    strictEqual(response.status, 303);
    strictEqual(response.headers.get("Location"), "/login");
  }
  strictEqual((await app.client().get("/api/profile", { Cookie: `auth_session=${session}` })).status, 401);
});

Deno.test("the page that logs out changes nothing until its button is pressed, and works for guests", async () => {
  const { client } = await registerVerifiedUser(app, "logout-page@example.com");
  for (const headers of [undefined, { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate" }]) {
    for (const visitor of [client, app.client()]) {
      const response = await visitor.get("/logout?next=%2Fusers%3Fpage%3D2", headers);
      strictEqual(response.status, 200);
      strictEqual((await readPage(response)).form().action, "/logout?next=%2Fusers%3Fpage%3D2");
    }
  }
  strictEqual((await client.get("/dashboard")).status, 200);
  const response = await client.submit("/logout?next=%2Fusers%3Fpage%3D2", {});
  deepStrictEqual([response.status, response.headers.get("Location")], [303, "/users?page=2"]);
  strictEqual((await client.get("/dashboard")).status, 303);
  for (const next of ["http://evil.example/", "//evil.example"]) {
    const response = await client.submit(`/logout?${new URLSearchParams({ next })}`, {});
    strictEqual(response.headers.get("Location"), "/login", next);
  }
});

Deno.test("pages of emailed links are not cached, and reading them changes nothing", async () => {
  const { email } = await registerUser(app, "link@example.com");
  await app.deliverMails();
  const link = new URL(app.mails.findLast(({ to }) => to === email)!.text.match(/https?:\/\/\S+/)![0]);
  for (let reads = 0; reads < 2; reads++) {
    const response = await app.client().get(link.pathname + link.search);
    strictEqual(response.headers.get("Cache-Control"), "no-store");
    match(await response.text(), /Yes, confirm my email/);
  }
  const fields = { email, token: link.searchParams.get("token")!, action: "verify" };
  strictEqual((await app.client().submit("/verify-email", fields)).status, 303);
  strictEqual((await app.client().submit("/verify-email", fields)).status, 400);
  strictEqual((await app.client().submit("/verify-email", { email, action: "verify" })).status, 400);
});

Deno.test("pages show no text from a forged link", async () => {
  const text = "Your account is blocked, call 555 0100";
  const token = "t".repeat(43);
  for (const path of ["/verify-email", "/reset-password", "/forgot-password", "/login", "/register", "/users", "/"]) {
    const names = ["email", "token", "error", "next", "name", "message", "notice", "file", "user_id"];
    const query = new URLSearchParams(names.map((name) => [name, text]));
    const html = await (await app.client().get(`${path}?${query}`)).text();
    ok(!html.includes("blocked"), path);
  }
  for (const email of [text, "", "ada@example.com, call us", `<b>${text}</b>@example.com`]) {
    const query = new URLSearchParams({ email, token });
    const { buttons } = await readPage(app.client().get(`/verify-email?${query}`));
    ok(buttons.some(({ value }) => value === "resend"));
    const dead = await readPage(app.client().get(`/reset-password?${query}`));
    deepStrictEqual(dead.forms, [], email);
    ok(dead.leadsTo("/forgot-password"), email);
  }
  const valid = new URLSearchParams({ email: "Ada@Example.com", token });
  strictEqual((await readPage(app.client().get(`/reset-password?${valid}`))).field("email").value, "ada@example.com");
});

Deno.test("a wrong password reset link is refused on the page, which does not repeat the password", async () => {
  const fields = { email: "nobody@example.com", token: "x", password: PASSWORD };
  const response = await app.client().submit("/reset-password", fields);
  strictEqual(response.status, 400);
  const { message, html } = await readPage(response);
  strictEqual(message, DEAD);
  ok(!html.includes(PASSWORD));
});

Deno.test("users are listed in pages", async () => {
  await using others = await openTestApp();
  const pageAt = (path: string) => readPage(others.client().get(path));
  const nextOf = (page: Page) => page.findAll('[rel="next"]').map((link) => link.getAttribute("href")!);
  const empty = await pageAt("/users");
  match(empty.text, /No one has joined yet\./);
  deepStrictEqual(empty.findAll('[aria-label="Pages"]'), []);
  for (let index = 0; index <= USER_PAGE_SIZE; index++) {
    await registerUser(others, `p${index}@example.com`, `P ${index}!`);
    others.advance(1);
  }
  const first = await pageAt("/users");
  ok(first.text.includes(`P ${USER_PAGE_SIZE}!`) && !first.text.includes("P 0!"));
  const second = await pageAt(nextOf(first)[0]);
  ok(second.text.includes("P 0!") && !second.text.includes("P 1!"));
  deepStrictEqual(nextOf(second), []);
});

Deno.test("the address of no list of users and of no user is refused", async () => {
  for (const [path, status] of [["?cursor=x", 400], ["?cursor=x&cursor=x", 400], ["/nobody", 404]] as const) {
    strictEqual((await app.client().get(`/users${path}`)).status, status, path);
  }
  const refused = await readPage(app.client().get("/users?cursor=zzz"));
  strictEqual(refused.heading, "This link isn’t valid");
  doesNotMatch(refused.text, /Validation failed/);
});

Deno.test("names, bios and locations keep their text direction, and initials replace a missing photo", async () => {
  const NAMES = {
    "Grace Murray Hopper": "GH",
    'Dwayne "The Rock" Johnson': "DJ",
    "(Ada) 'lovelace' 42": "AL",
    "élodie": "É",
    "ליאת כהן": "לכ",
    "42 7": "4",
    "𝓐da": "𝓐",
  };
  for (const [index, [name, letters]] of Object.entries(NAMES).entries()) {
    const { client, id } = await registerUser(app, `letters-${index}@example.com`, name);
    await client.submit("/profile", { bio: "מילים", location: "חיפה" });
    const page = await readPage(app.client().get(`/users/${id}`));
    strictEqual(page.find("section [data-initials]")?.getAttribute("data-initials"), letters, name);
    strictEqual(page.findAll('section :is(bdi, p[dir="auto"])').length, 3);
    const form = await readPage(client.get("/profile"));
    const fields = form.findAll('main form [dir="auto"][name]');
    deepStrictEqual(fields.map((field) => field.getAttribute("name")), ["name", "bio", "location"]);
  }
  const names = (await readPage(app.client().get("/users"))).textsAt(".person-name bdi");
  ok(names.includes("ליאת כהן"), names.join());
});

Deno.test("the mailto link of a user encodes the address", async () => {
  const { id } = await registerUser(app, "me?cc=them&x=50%#y/z@example.com");
  const { links } = await readPage(app.client().get(`/users/${id}`));
  const { href } = links.find(({ href }) => href!.startsWith("mailto:me"))!;
  strictEqual(href, "mailto:me%3Fcc%3Dthem%26x%3D50%25%23y%2Fz@example.com");
});

Deno.test("a refused photo has its error beside the field", async () => {
  const { client } = await registerVerifiedUser(app, "picture@example.com");
  const cases: [BlobPart | null, status: number, error?: RegExp][] = [
    ["not an image", 400, /^This doesn’t look like a PNG\. It may be damaged\.$/],
    [new Uint8Array(6 * 1024 * 1024), 413, /^Choose an image smaller than 5\sMB, or turn on JavaScript/],
    [null, 303],
  ];
  for (const [content, status, error] of cases) {
    const form = new FormData();
    form.set(
      "file",
      new File(content === null ? [] : [content], content === null ? "" : "me.png", { type: "image/png" }),
    );
    const response = await client.request("/profile", { method: "POST", body: form });
    strictEqual(response.status, status);
    if (error) match((await readPage(response)).field("file").error!, error);
    else strictEqual(await response.text(), "");
  }
});

Deno.test("a form that is too long is refused with the text of the catalog", async () => {
  const { client } = await registerVerifiedUser(app, "long@example.com");
  for (const path of ["/profile", "/forgot-password"]) {
    const response = await client.submit(path, { bio: "x".repeat(70_000) });
    strictEqual(response.status, 413);
    strictEqual((await readPage(response)).message, "That text is too long. Shorten it and try again.");
  }
});

Deno.test("developers see the HTML of emails in frames that run no scripts, and every kind in every language", async () => {
  app.mails.push({
    to: "html@example.com",
    subject: "Signs",
    text: "Text",
    html: '<p class="x">Tom & <b>"Jerry"</b></p>',
  });
  const developer = app.client("127.0.0.1");
  const outbox = await (await developer.get("/dev/outbox")).text();
  const frames = (page: string) => [...page.matchAll(/<iframe [^]*?<\/iframe>/g)].map(([tag]) => tag);
  const shown = frames(outbox).find((tag) => tag.includes("Jerry"))!;
  match(
    shown,
    / srcdoc="&lt;!DOCTYPE html>&lt;base target=&quot;_blank&quot;>&lt;p class=&quot;x&quot;>Tom &amp; &lt;b>/,
  );
  for (const tag of frames(outbox)) match(tag, / sandbox="allow-popups allow-popups-to-escape-sandbox"/);
  for (const { tag, direction } of app.services.languages.byTag.values()) {
    const response = await developer.get(`/dev/emails?language=${tag}`);
    const page = await response.text();
    strictEqual(response.headers.get("Cache-Control"), "no-store");
    deepStrictEqual(new Page(page).textsAt("code"), MAIL_KINDS);
    const lang = `&lt;html lang=&quot;${tag}&quot; dir=&quot;${direction}&quot;>`;
    const all = frames(page);
    strictEqual(all.length, MAIL_KINDS.length);
    for (const frame of all) ok(frame.includes(lang) && frame.includes(' sandbox="allow-popups '), frame.slice(0, 200));
  }
  match(await (await developer.get("/dev/emails?language=xx")).text(), /lang=&quot;en&quot;/);
  strictEqual((await app.client("192.0.2.7").get("/dev/emails")).status, 404);
  app.services.config.isProduction = true;
  try {
    strictEqual((await developer.get("/dev/emails")).status, 404);
  } finally {
    app.services.config.isProduction = false;
  }
});

Deno.test("the development outbox is only shown to a browser on this machine", async () => {
  await registerUser(app, "outbox@example.com");
  await app.deliverMails();
  app.mails.push({
    to: "outbox@example.com",
    subject: "Signs",
    text: "Tom & Jerry <b> https://x.example/?a&b",
    html: "",
  });
  const page = await (await app.client("127.0.0.1").get("/dev/outbox")).text();
  ok(new Page(page).links.some(({ href }) => href!.startsWith("http://foyer.test/verify-email?")));
  match(
    page,
    />Tom &amp; Jerry &lt;b> <a href="https:\/\/x\.example\/\?a&amp;b">https:\/\/x\.example\/\?a&amp;b<\/a><\/p>/,
  );
  strictEqual((await app.client("192.0.2.7").get("/dev/outbox")).status, 404);
  strictEqual((await app.client("::1").get("/dev/outbox", { "X-Forwarded-For": "192.0.2.7" })).status, 404);
  app.services.config.isProduction = true;
  try {
    strictEqual((await app.client("127.0.0.1").get("/dev/outbox")).status, 404);
  } finally {
    app.services.config.isProduction = false;
  }
});

Deno.test("what developers see is not shown under a host name that is not the app's", async () => {
  const info = { remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 1 } } as Deno.ServeHandlerInfo;
  const cases = {
    "evil.example:8000": 404,
    "localhost:8000": 200,
    "[::1]": 200,
    "127.0.0.1:80": 200,
    "foyer.test": 200,
  };
  for (const [host, status] of Object.entries(cases)) {
    const response = await app.handler(new Request("http://x/dev/outbox", { headers: { host } }), info);
    strictEqual(response.status, status, host);
    const home = await readPage(app.handler(new Request("http://x/", { headers: { host } }), info));
    strictEqual(home.textsAt(FIRST_STEPS).length > 0, status === 200, host);
  }
});

const FAILURES: [message: string, status: number, heading: string][] = [
  ["the query is wrong", 500, "Something went wrong"],
  ["PGlite is closed", 503, "We’ll be right back"],
];

Deno.test("without a database, the error page still has a header", async () => {
  const { client } = await registerVerifiedUser(app, "down@example.com");
  for (const [message, status, heading] of FAILURES) {
    await withFailingDatabase(app, new Error(message), async () => {
      const response = await client.get("/users?cursor=a&b");
      strictEqual(response.status, status);
      const page = await readPage(response);
      ok(page.find("header nav"));
      strictEqual(page.heading, heading);
      strictEqual(page.link("Try again").href, " ", "the address of the page, whose query may hold a token");
      doesNotMatch(page.text, /What you entered/);
      strictEqual(response.headers.get("Retry-After"), status === 503 ? "2" : null);
      strictEqual(response.headers.get("Set-Cookie"), null, "the session cookie stays");
    });
  }
});

Deno.test("a form that met an error of ours loses nothing, and succeeds when it is sent again", async () => {
  const { client, id } = await registerVerifiedUser(app, "resend-after-failure@example.com");
  for (const [message, status] of FAILURES) {
    const fields = { form_id: crypto.randomUUID(), user_id: id, name: `After ${status}` };
    await withFailingDatabase(app, new Error(message), async () => {
      const response = await client.submit("/profile", fields);
      strictEqual(response.status, status);
      const { text, links } = await readPage(response);
      match(text, /What you entered isn’t lost\. Reload this page to send it again\./);
      ok(links.every(({ text }) => text !== "Try again"), "a link would open the form, and not send it");
    });
    for (let reloads = 0; reloads < 2; reloads++) {
      strictEqual((await client.submit("/profile", fields)).headers.get("Location"), "/profile");
    }
    strictEqual((await readPage(client.get("/profile"))).field("name").value, `After ${status}`);
  }
  const { heading, links } = await readPage(app.client().get("/nothing"));
  strictEqual(heading, "Page not found");
  ok(links.every(({ text }) => text !== "Try again"));
});
