import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { DAY_SECONDS, HOUR_SECONDS } from "../../lib/duration.ts";
import { Page, readPage } from "../support/app/page_reader.ts";
import { mailedPath, mailedToken, PASSWORD, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import { html, submit } from "../support/app/page_forms.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0" });
const NEW_PASSWORD = "Another-horse-8";
const DEAD = "This link has expired or has already been used.";
const CONFIRMED = /^Your email address is already confirmed\./;

/** The fields of the form behind an emailed link. */
function fieldsOf(path: string): { email: string; token: string } {
  const query = new URLSearchParams(path.split("?")[1]);
  return { email: query.get("email")!, token: query.get("token")! };
}

Deno.test("an unconfirmed person who logs in, confirms the address and logs in again ends on the requested page", async () => {
  const { email } = await registerUser(app, "asked@example.com");
  const client = app.client();
  const credentials = { email, password: PASSWORD };
  await app.deliverMails();
  const check = await submit(client, await html(client, "/login?next=%2Fprofile%3Fx%3D1"), credentials);
  strictEqual(check, "/verify-email?email=asked%40example.com&next=%2Fprofile%3Fx%3D1");
  strictEqual(await submit(client, await html(client, check), { email, action: "resend" }), check);

  const link = await mailedPath(app, email);
  doesNotMatch(app.mails.findLast(({ to }) => to === email)!.text, /next|profile/);
  const confirm = { ...fieldsOf(link), action: "verify" };
  const login = await submit(client, await html(client, link), confirm);
  strictEqual(login, "/login?email=asked%40example.com&next=%2Fprofile%3Fx%3D1");
  match(await html(client, login), /Your email address is confirmed\. Log in to continue\./);
  strictEqual(await submit(client, await html(client, login), credentials), "/profile?x=1");
});

Deno.test("a link from registration leads to the requested page, with or without a session", async () => {
  for (const isLoggedIn of [true, false]) {
    const email = `arriving-${isLoggedIn}@example.com`;
    const client = app.client();
    await client.submit("/register?next=%2Fuploads", { name: "Ada", email, password: PASSWORD });
    const link = await mailedPath(app, email);
    const reader = isLoggedIn ? client : app.client();
    const location = await submit(reader, await html(reader, link), { ...fieldsOf(link), action: "verify" });
    strictEqual(location, isLoggedIn ? "/uploads" : "/login?email=arriving-false%40example.com&next=%2Fuploads");
  }
});

Deno.test("a reset of the password leads to the requested page", async () => {
  const { email } = await registerVerifiedUser(app, "resetting@example.com");
  const client = app.client();
  const login = await readPage(client.get("/login?next=%2Fprofile"));
  const forgot = login.link("Forgot your password?").href!;
  const sent = await submit(client, await html(client, forgot), { email });
  strictEqual(sent, "/forgot-password?email=resetting%40example.com&sent=true&next=%2Fprofile");
  ok((await readPage(client.get(sent))).leadsTo("/login?email=resetting%40example.com&next=%2Fprofile"));

  const link = await mailedPath(app, email);
  const fields = { ...fieldsOf(link), password: NEW_PASSWORD };
  strictEqual(await submit(client, await html(client, link), fields), "/profile");
  strictEqual((await client.get("/profile")).status, 200);
});

Deno.test("an emailed link leads to no other site", async () => {
  const { email } = await registerVerifiedUser(app, "lured@example.com");
  const next = encodeURIComponent("//evil.example");
  await app.client().submit(`/forgot-password?next=${next}`, { email });
  const fields = { email, token: await mailedToken(app, email), password: NEW_PASSWORD };
  const response = await app.client().submit("/reset-password", fields);
  strictEqual(response.headers.get("Location"), "/dashboard");
});

Deno.test("a used confirmation link says that the address is confirmed, and leads to the next step", async () => {
  const { client, email } = await registerUser(app, "confirmed@example.com");
  const link = await mailedPath(app, email);
  ok((await readPage(app.client().get(link))).button("Yes, confirm my email"));
  const confirmed = await client.submit("/verify-email", fieldsOf(link));
  strictEqual(confirmed.status, 303, "without the button's name");
  await html(client, confirmed.headers.get("Location")!); // shows the notice

  for (const [visitor, next] of [[app.client(), "/login"], [client, "/dashboard"]] as const) {
    const page = await readPage(visitor.get(link));
    match(page.textAt("main p")!, CONFIRMED);
    strictEqual(page.find("main a.button").getAttribute("href"), next);
    deepStrictEqual(page.forms, []);
  }

  const again = await app.client().submit("/verify-email", { ...fieldsOf(link), action: "verify" });
  strictEqual(again.status, 400);
  match((await readPage(again)).textAt("main p")!, CONFIRMED);
});

Deno.test("only the holder of a link to the address learns that the address is confirmed", async () => {
  const { email } = await registerVerifiedUser(app, "secretive@example.com");
  const other = await registerUser(app, "prober@example.com");
  const probe = async (address: string, token: string) => {
    const page = await html(app.client(), `/verify-email?${new URLSearchParams({ email: address, token })}`);
    return page.replaceAll(address, "ADDRESS").replaceAll(/name="form_id" value="[^"]+"/g, "");
  };
  const token = await mailedToken(app, other.email);
  for (const each of ["x", token]) {
    const unknown = await probe("nobody@example.com", each);
    strictEqual(new Page(unknown).message, DEAD);
    strictEqual(await probe(email, each), unknown);
  }
});

Deno.test("an expired confirmation link of an unconfirmed address offers a new one", async () => {
  const { email } = await registerUser(app, "tardy@example.com");
  const link = await mailedPath(app, email);
  app.advance(DAY_SECONDS);
  const page = await readPage(app.client().get(link));
  deepStrictEqual([page.message, page.title], [DEAD, "Error: Confirm your email address · Foyer"]);
  strictEqual(page.field("email").value, email);
  deepStrictEqual(page.buttons.map(({ value }) => value), ["resend"]);
});

Deno.test("a used, expired, replaced or invented reset link says so before anyone types, and offers a new one", async () => {
  const { email } = await registerVerifiedUser(app, "dead@example.com");
  const newLink = async () => {
    strictEqual((await app.client().submit("/forgot-password?next=%2Fprofile", { email })).status, 303);
    return await mailedPath(app, email);
  };
  const used = await newLink();
  strictEqual((await app.client().submit("/reset-password", { ...fieldsOf(used), password: PASSWORD })).status, 303);
  await app.deliverMails(); // the alert of the new browser has a link too
  const replaced = await newLink();
  const expired = await newLink();
  strictEqual((await readPage(app.client().get(expired))).field("password").type, "password");
  app.advance(HOUR_SECONDS);
  for (const link of [used, replaced, expired, `/reset-password?${new URLSearchParams({ email, token: "x" })}`]) {
    const client = app.client();
    const page = await readPage(client.get(link));
    deepStrictEqual([page.message, page.title], [DEAD, "Error: Choose a new password · Foyer"]);
    deepStrictEqual(page.fieldNames, ["email"]);
    strictEqual(page.field("email").value, email);
    const next = link.endsWith("token=x") ? "" : "&next=%2Fprofile";
    strictEqual(
      await submit(client, page.html, { email }),
      `/forgot-password?email=dead%40example.com&sent=true${next}`,
    );
  }
});

Deno.test("a form with an invented token and no address is refused", async () => {
  for (const [path, selector] of [["/verify-email", "#email-error"], ["/reset-password", '[role="alert"]']]) {
    const fields = { token: "x", action: "verify", password: PASSWORD };
    const response = await app.client().submit(path, fields);
    strictEqual(response.status, 400);
    ok((await readPage(response)).textAt(selector), path);
  }
});

Deno.test("a dead reset link looks the same for known and unknown addresses", async () => {
  const { email } = await registerVerifiedUser(app, "quiet@example.com");
  const page = async (address: string) =>
    (await html(app.client(), `/reset-password?${new URLSearchParams({ email: address, token: "x" })}`))
      .replaceAll(address, "ADDRESS").replaceAll(/name="form_id" value="[^"]+"/g, "");
  strictEqual(await page(email), await page("nobody@example.com"));
});

Deno.test("scanners that open a link twenty times do not use it up", async () => {
  const { email } = await registerUser(app, "scanned@example.com");
  const confirm = await mailedPath(app, email);
  await app.client().submit("/forgot-password", { email });
  const reset = await mailedPath(app, email);
  for (const link of [confirm, reset]) {
    await Promise.all(Array.from({ length: 20 }, () => app.client().get(link)));
  }
  const fields = { ...fieldsOf(confirm), action: "verify" };
  strictEqual((await app.client().submit("/verify-email", fields)).status, 303);
  const password = { ...fieldsOf(reset), password: NEW_PASSWORD };
  strictEqual((await app.client().submit("/reset-password", password)).status, 303);
});

Deno.test("from the fourth email within an hour on, the page says that three are sent, for any address", async () => {
  const USED_UP = /^We send only a few of these emails an hour\. Use the link in the newest one/;
  const verified = await registerVerifiedUser(app, "impatient@example.com");
  const unverified = await registerUser(app, "unconfirmed@example.com");
  const cases = [
    { path: "/forgot-password", action: "", emails: [verified.email, unverified.email], allowed: 3 },
    // Registration has sent the first email.
    { path: "/verify-email", action: "resend", emails: [verified.email, unverified.email], allowed: 2 },
  ];
  for (const { path, action, emails, allowed } of cases) {
    for (const email of [...emails, "nobody@example.com"]) {
      const isUsedUp: boolean[] = [];
      const request = async () => {
        const client = app.client();
        const response = await client.submit(path, { email, action });
        const { notice } = await readPage(client.get(response.headers.get("Location")!));
        isUsedUp.push(USED_UP.test(notice!));
      };
      for (let count = 0; count < 4; count++) await request();
      const expected = Array.from({ length: 4 }, (_, index) => index >= allowed);
      deepStrictEqual(isUsedUp, expected, `${path} ${email}`);
      app.advance(HOUR_SECONDS - 1);
      await request();
      strictEqual(isUsedUp.at(-1), true, "within the hour");
      app.advance(1);
      await request();
      strictEqual(isUsedUp.at(-1), false, "an hour later");
    }
  }
});

Deno.test("requests for links are counted without the address", async () => {
  await app.client().submit("/forgot-password", { email: "hidden@example.com" });
  const rows = await app.services.db.selectFrom("rate_limits").selectAll().where("policy", "=", "reset").execute();
  ok(rows.length > 0);
  ok(!JSON.stringify(rows).includes("hidden"));
});
