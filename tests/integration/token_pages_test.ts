import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { MINUTE_SECONDS } from "../../lib/duration.ts";
import { readPage } from "../support/app/page_reader.ts";
import { PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { createToken } from "../support/app/api_tokens.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0" });
const PAGE = "/settings/tokens";
const NEW = `${PAGE}/new`;
const TOKEN = /foyer_[0-9A-Za-z]{49}/;
const FIELDS = { tokenName: "Nightly backup", "profile:read": "on", "uploads:read": "on", expiresInDays: "30" };

async function textOf(response: Response): Promise<string> {
  return (await readPage(response)).text;
}

const list = async (client: TestClient) => (await (await client.get("/api/tokens")).json()).data;

Deno.test("a token is created on a page and shown once", async () => {
  const { client } = await registerVerifiedUser(app, "page@example.com");
  match(await textOf(await client.get(PAGE)), /You have no API tokens/);
  const form = await textOf(await client.get(NEW));
  ok(form.includes("Read your profile") && !form.includes("Manage all accounts"));
  const response = await client.submit(NEW, FIELDS);
  deepStrictEqual([response.status, response.headers.get("Location")], [303, PAGE]);
  const cookie = response.headers.getSetCookie().find((line) => line.startsWith("shown_once="))!;
  match(cookie, /; Max-Age=600; Path=\/; HttpOnly; SameSite=Strict$/);
  ok(!TOKEN.test(decodeURIComponent(cookie)), "the cookie is encrypted");
  const other = (await registerVerifiedUser(app, "page-other@example.com")).client;
  const stolen = await other.get(PAGE, { Cookie: cookie.split(";")[0] });
  ok(!TOKEN.test(await stolen.text()), "only the session that created it sees it");

  const [token] = (await textOf(await client.get(PAGE))).match(TOKEN)!;
  const profile = await app.client().get("/api/profile", { Authorization: `Bearer ${token}` });
  strictEqual(profile.status, 200);
  const again = await textOf(await client.get(PAGE));
  ok(!TOKEN.test(again));
  match(again, /Nightly backup .*foyer_\w{4}… · Read your profile · See your files .*Expires/);
  deepStrictEqual((await list(client)).map(({ scopes }: { scopes: string[] }) => scopes), [[
    "profile:read",
    "uploads:read",
  ]]);
});

Deno.test("a double click creates one token and shows it", async () => {
  const { client } = await registerVerifiedUser(app, "double@example.com");
  const fields = { ...FIELDS, form_id: crypto.randomUUID() };
  const responses = [await client.submit(NEW, fields), await client.submit(NEW, fields)];
  deepStrictEqual(responses.map(({ status }) => status), [303, 303]);
  strictEqual((await list(client)).length, 1);
  match(await textOf(await client.get(PAGE)), TOKEN);
});

Deno.test("the form names every problem, and loses nothing", async () => {
  const { client } = await registerVerifiedUser(app, "refused@example.com");
  const response = await client.submit(NEW, { tokenName: "", expiresInDays: "soon", "users:read": "" });
  strictEqual(response.status, 400);
  const page = await readPage(response);
  match(page.text, /Enter a name for the token/);
  match(page.text, /Enter a number of days from 1 to 365/);
  strictEqual(page.field("expiresInDays").value, "soon");
  ok(page.field("users:read").isChecked);
  const none = await client.submit(NEW, { tokenName: "x".repeat(101), expiresInDays: "1" });
  const { summary, text } = await readPage(none);
  ok(summary.some(({ text, href }) => href === "#scopes" && text.startsWith("Choose one or more permissions")));
  match(text, /Use at most 100 characters/);
  strictEqual((await client.submit(NEW, { ...FIELDS, admin: "on" })).status, 400);
  deepStrictEqual(await list(client), []);
});

Deno.test("the page asks for a proof before it shows the form, and inline if the proof expires meanwhile", async () => {
  const { client } = await registerVerifiedUser(app, "unproved@example.com");
  app.advance(15 * MINUTE_SECONDS + 1);
  const asked = await client.get(NEW);
  deepStrictEqual([asked.status, asked.headers.get("Location")], [
    303,
    "/reauthenticate?next=%2Fsettings%2Ftokens%2Fnew",
  ]);
  const refused = await client.submit(NEW, FIELDS);
  strictEqual(refused.status, 403);
  ok((await readPage(refused)).field("proof_password"));
  const session = client.cookies.get("auth_session");
  strictEqual((await client.submit(NEW, { ...FIELDS, proof_password: PASSWORD })).status, 303);
  notStrictEqual(client.cookies.get("auth_session"), session);
  match(await textOf(await client.get(PAGE)), TOKEN);
});

Deno.test("a token is deleted on the page, without a proof", async () => {
  const { client } = await registerVerifiedUser(app, "deleting@example.com");
  const { id } = await createToken(client, { name: "<b>Old</b>" });
  const page = await (await client.get(PAGE)).text();
  ok(page.includes("&lt;b>Old&lt;/b>") || page.includes("&lt;b&gt;Old&lt;/b&gt;"));
  app.advance(15 * MINUTE_SECONDS + 1);
  strictEqual((await client.submit(PAGE, { id })).status, 303);
  match(await (await client.get(PAGE)).text(), /API token deleted/);
  const gone = await client.submit(PAGE, { id });
  strictEqual(gone.status, 404);
  match(await gone.text(), /That token has already ended/);
});

Deno.test("the activity page names the token", async () => {
  const { client } = await registerVerifiedUser(app, "named@example.com");
  const { id } = await createToken(client, { name: "Ledger" });
  await client.request(`/api/tokens/${id}`, { method: "DELETE" });
  const text = await textOf(await client.get("/settings/activity"));
  match(text, /API token “Ledger” deleted .*API token “Ledger” created/);
});
