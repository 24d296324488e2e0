import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { HOUR_SECONDS, MINUTE_SECONDS } from "../../lib/duration.ts";
import { mailedPath, PASSWORD, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { codeOf, registerWithTotp, STEP_SECONDS } from "../support/app/second_factor.ts";
import { type Page, readPage } from "../support/app/page_reader.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0" });
const METHODS = "/settings/sign-in-methods";
const PAGE = `${METHODS}/authenticator`;
const FORM_ID = "00000000-0000-4000-8000-000000000000";

async function logInOnPage(email: string, next?: string): Promise<TestClient> {
  const client = app.client();
  const query = next === undefined ? "" : `?${new URLSearchParams({ next })}`;
  const response = await client.submit(`/login${query}`, { email, password: PASSWORD });
  deepStrictEqual([response.status, response.headers.get("Location")], [303, `/second-factor${query}`]);
  return client;
}

const codesIn = (page: Page) => page.textsAt("main code").filter((code) => /^[\w-]{19}$/.test(code));

Deno.test("the pages set up an app without scripts, and show the recovery codes once", async () => {
  const { client, email } = await registerVerifiedUser(app, "by-page@example.com");
  ok((await readPage(client.get(METHODS))).leadsTo(PAGE));
  strictEqual((await readPage(client.get(PAGE))).heading, "Set up an authenticator app");
  strictEqual((await client.get(`${PAGE}/confirm`)).headers.get("Location"), PAGE, "nothing has been started");
  const started = await client.submit(PAGE, { form_id: FORM_ID });
  deepStrictEqual([started.status, started.headers.get("Location")], [303, `${PAGE}/confirm`]);
  const form = await readPage(client.get(`${PAGE}/confirm`));
  ok(form.find("main svg"));
  const secret = form.textAt("code.secret")!.replaceAll(" ", "");
  ok(form.html.includes(`secret=${secret}&amp;issuer=Foyer`));

  const wrong = await client.submit(`${PAGE}/confirm`, { code: "12345" });
  strictEqual(wrong.status, 403);
  const again = await wrong.text();
  match(again, /That code is wrong or has expired. Check that the time/);
  ok(again.includes(`secret=${secret}&amp;issuer`), "the key is still there");
  strictEqual((await client.submit(`${PAGE}/confirm`, { code: "" })).status, 400);

  const fields = { form_id: FORM_ID, code: codeOf(app, secret) };
  const clicks = await Promise.all([1, 2].map(() => client.submit(`${PAGE}/confirm`, fields)));
  for (const { status, headers } of clicks) {
    deepStrictEqual([status, headers.get("Location")], [303, `${PAGE}/recovery-codes`], "both clicks succeed");
  }
  const shown = await client.get(`${PAGE}/recovery-codes`);
  strictEqual(shown.headers.get("Cache-Control"), "no-store");
  const page = await readPage(shown);
  const codes = codesIn(page);
  strictEqual(codes.length, 10);
  const [, file] = page.find('a[href^="data:text/plain;charset=utf-8,"]').getAttribute("href")!.split(",");
  deepStrictEqual(decodeURIComponent(file).split("\n"), [
    `Recovery codes for Foyer, ${email}. Each code works once.`,
    ...codes,
  ]);
  const reloaded = await readPage(client.get(`${PAGE}/recovery-codes`));
  deepStrictEqual(codesIn(reloaded), []);
  match(reloaded.text, /10 recovery codes left\. New codes replace/);
  match(
    await (await client.get(METHODS)).text(),
    /You enter a code from your app after logging in\. 10 recovery codes left/,
  );

  const guest = await logInOnPage(email);
  strictEqual((await guest.submit("/second-factor", { code: codes[0] })).status, 303, "without the button's name");
});

Deno.test("new recovery codes are shown only to the session that made them, for ten minutes", async () => {
  const { client } = await registerWithTotp(app, "shown@example.com");
  const other = await registerWithTotp(app, "not-shown@example.com");
  const renew = async () => {
    strictEqual((await client.submit(`${PAGE}/recovery-codes`, {})).status, 303);
    return client.cookies.get("shown_once")!;
  };
  const cookie = await renew();
  ok(!decodeURIComponent(cookie).includes("-"));
  const stolen = await other.client.get(`${PAGE}/recovery-codes`, { cookie: `shown_once=${cookie}` });
  deepStrictEqual(codesIn(await readPage(stolen)), []);
  app.advance(10 * MINUTE_SECONDS);
  deepStrictEqual(codesIn(await readPage(client.get(`${PAGE}/recovery-codes`))), []);
  await renew();
  app.advance(10 * MINUTE_SECONDS - 1);
  await client.send("POST", "/auth/reauthenticate", { password: PASSWORD });
  strictEqual(codesIn(await readPage(client.get(`${PAGE}/recovery-codes`))).length, 10);
});

Deno.test("every page of the set-up asks for a recent proof", async () => {
  const { client } = await registerVerifiedUser(app, "asked-first@example.com");
  await client.submit(PAGE, {});
  app.advance(15 * MINUTE_SECONDS + 1);
  for (const path of [PAGE, `${PAGE}/confirm`]) {
    const response = await client.get(path);
    strictEqual(response.headers.get("Location"), `/reauthenticate?${new URLSearchParams({ next: path })}`);
  }
  const inline = await client.submit(`${PAGE}/confirm`, { code: "123456" });
  const page = await readPage(inline);
  strictEqual(inline.status, 403);
  strictEqual(page.field("code").value, "123456");
  ok(page.field("proof_password"));
  deepStrictEqual(page.findAll("main svg, code.secret"), [], "the key waits for the proof");
  strictEqual((await client.submit(PAGE, {})).status, 403);

  const { client: on } = await registerWithTotp(app, "asked-later@example.com");
  app.advance(15 * MINUTE_SECONDS + 1);
  for (const path of [`${PAGE}/remove`, `${PAGE}/recovery-codes`]) {
    strictEqual((await on.get(path)).headers.get("Location"), `/reauthenticate?${new URLSearchParams({ next: path })}`);
    strictEqual((await on.submit(path, {})).status, 403);
  }
});

Deno.test("the proof page and the inline proof take a code of the app", async () => {
  const { client, totp } = await registerWithTotp(app, "proof-page@example.com");
  app.advance(15 * MINUTE_SECONDS + 1);
  const html = await (await client.get(`/reauthenticate?next=${PAGE}`)).text();
  match(html, /Your current password.*Or a code from your authenticator app/s);
  const wrong = await client.submit("/reauthenticate", { action: "prove", proof_code: "12345" });
  match(await wrong.text(), /That code is wrong or has expired/);
  const proved = await client.submit(`/reauthenticate?next=${PAGE}`, {
    action: "prove",
    proof_password: "filled in by the browser",
    proof_code: totp.code(),
  });
  deepStrictEqual([proved.status, proved.headers.get("Location")], [303, PAGE]);
  app.advance(15 * MINUTE_SECONDS + 1);
  const removed = await client.submit(`${PAGE}/remove`, { proof_code: totp.code() });
  deepStrictEqual([removed.status, removed.headers.get("Location")], [303, METHODS]);
  match(await (await client.get(METHODS)).text(), /You log in without a code now\./);

  const { client: only, id, totp: app2 } = await registerWithTotp(app, "proof-only@example.com");
  await app.services.db.updateTable("users").set({ password_hash: null }).where("id", "=", id).execute();
  app.advance(15 * MINUTE_SECONDS + 1);
  const page = await readPage(only.get("/reauthenticate"));
  ok(!page.html.includes("proof_password") && page.text.includes("Code from your authenticator app"));
  match(
    await (await only.submit("/reauthenticate", { action: "prove" })).text(),
    /Enter a code from your authenticator app\./,
  );
  strictEqual((await only.submit("/reauthenticate", { action: "prove", proof_code: app2.code() })).status, 303);
});

Deno.test("pages about an app that is not set up lead back to the ways to log in", async () => {
  const { client: off } = await registerVerifiedUser(app, "no-app@example.com");
  for (const path of [`${PAGE}/remove`, `${PAGE}/recovery-codes`]) {
    strictEqual((await off.get(path)).headers.get("Location"), METHODS);
    strictEqual((await off.submit(path, {})).headers.get("Location"), METHODS);
  }
  const { client: unverified } = await registerUser(app, "no-address@example.com");
  strictEqual((await unverified.get(PAGE)).headers.get("Location"), METHODS);
  strictEqual((await unverified.submit(PAGE, {})).headers.get("Location"), METHODS);
  match(
    await (await unverified.get(METHODS)).text(),
    /Confirm your email address before you set up an authenticator app/,
  );
});

Deno.test("a set-up that took too long says so", async () => {
  const { client } = await registerVerifiedUser(app, "too-long@example.com");
  await client.submit(PAGE, {});
  app.advance(HOUR_SECONDS);
  await client.send("POST", "/auth/reauthenticate", { password: PASSWORD });
  match(await (await client.submit(`${PAGE}/confirm`, { code: "123456" })).text(), /You took longer than an hour/);
});

Deno.test("the login page leads through the second step to the page that was asked for", async () => {
  const { email, totp } = await registerWithTotp(app, "through@example.com");
  const guest = await logInOnPage(email, "/uploads?x=1");
  const query = `?${new URLSearchParams({ next: "/uploads?x=1" })}`;
  const page = await guest.get(`/second-factor${query}`);
  deepStrictEqual([page.headers.get("Cache-Control"), page.headers.get("X-Robots-Tag")], ["no-store", "noindex"]);
  strictEqual((await readPage(page)).form().action, `/second-factor${query}`);
  const wrong = await guest.submit(`/second-factor${query}`, { action: "enter", code: "ZZZZ-ZZZZ-ZZZZ-ZZZZ" });
  strictEqual(wrong.status, 403);
  match(await wrong.text(), /That code is wrong or has already been used/);
  const fields = { form_id: FORM_ID, action: "enter", code: totp.code() };
  const clicks = await Promise.all([1, 2].map(() => guest.submit(`/second-factor${query}`, fields)));
  for (const { status, headers } of clicks) deepStrictEqual([status, headers.get("Location")], [303, "/uploads?x=1"]);
  strictEqual((await guest.get("/uploads")).status, 200);
  ok(!guest.cookies.has("second_factor"));

  const foreign = `next=${encodeURIComponent("https://evil.example/")}`;
  const login = await app.client().submit(`/login?${foreign}`, { email, password: PASSWORD });
  strictEqual(login.headers.get("Location"), "/second-factor", "next is ours or nothing");
});

Deno.test("without a sign-in that waits, the page leads to the login page", async () => {
  const visit = await app.client().get("/second-factor?next=%2Fuploads");
  deepStrictEqual([visit.status, visit.headers.get("Location")], [303, "/login?next=%2Fuploads"]);
  const { email, totp } = await registerWithTotp(app, "expired-step@example.com");
  const guest = await logInOnPage(email);
  app.advance(10 * MINUTE_SECONDS);
  strictEqual((await guest.get("/second-factor")).headers.get("Location"), "/login");
  const late = await guest.submit("/second-factor?next=%2Fuploads", { action: "enter", code: totp.code() });
  deepStrictEqual([late.status, late.headers.get("Location")], [303, "/login?next=%2Fuploads"]);
  match(await (await guest.get("/login")).text(), /Your login has expired\. Log in again\./);
});

Deno.test("a suspended person reads why on the login page, and whom to ask", async () => {
  const { email, id } = await registerVerifiedUser(app, "suspended-page@example.com");
  await app.services.db.updateTable("users").set({ suspended_at: app.services.now() }).where("id", "=", id).execute();
  const response = await app.client().submit("/login", { email, password: PASSWORD });
  strictEqual(response.status, 403);
  match((await readPage(response)).text, /This account is suspended\. If you .* ask the people who run Foyer\./);
  const { settings } = app.services.config.brand;
  settings.supportEmail = "help@example.com";
  const helped = await readPage(app.client().submit("/login", { email, password: PASSWORD }));
  match(helped.text, /This account is suspended\. If you .* write to help@example\.com\./);
  delete settings.supportEmail;
});

Deno.test("a reset link leads through the second step", async () => {
  const { email, totp } = await registerWithTotp(app, "reset-on-page@example.com");
  const guest = app.client();
  await guest.submit("/forgot-password?next=%2Fuploads", { email });
  const token = new URLSearchParams((await mailedPath(app, email)).split("?")[1]).get("token")!;
  const reset = await guest.submit("/reset-password", { email, token, password: PASSWORD });
  strictEqual(reset.headers.get("Location"), "/second-factor?next=%2Fuploads");
  strictEqual(guest.cookies.has("auth_session"), false);
  const step = await readPage(guest.get("/second-factor?next=%2Fuploads"));
  strictEqual(step.notice, "Password changed. One more step to log in.");
  app.advance(STEP_SECONDS);
  const done = await guest.submit("/second-factor?next=%2Fuploads", { action: "enter", code: totp.code() });
  strictEqual(done.headers.get("Location"), "/uploads");
});
