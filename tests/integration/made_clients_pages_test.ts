import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { createSecret } from "../../lib/admin/client_acts.ts";
import { COMMAND_LINE } from "../../lib/activity/events.ts";
import { authenticateClient } from "../../lib/authorization_server/tokens/client_authentication.ts";
import { findMadeClient } from "../../lib/clients/made_client.ts";
import { findClient } from "../../lib/clients/registrations.ts";
import { registerAdmin } from "../support/app/admins.ts";
import { html } from "../support/app/page_forms.ts";
import { type Page, readPage } from "../support/app/page_reader.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0" });
const { services } = app;
const { client: admin } = await registerAdmin(app);
const NEW = "/admin/apps/new";
const FIELDS = {
  client_name: "Wiki",
  redirect_uris: "https://wiki.example/cb\r\nhttps://wiki.example/two",
  scope: "openid",
};

/** Sends the form that makes an app, and returns the path of its page. */
async function make(fields: Record<string, string> = {}): Promise<string> {
  const response = await admin.submit(NEW, { ...FIELDS, kind: "confidential", reason: "a new wiki", ...fields });
  strictEqual(response.status, 303, await response.text());
  return response.headers.get("Location")!;
}

const idIn = (path: string) => path.split("/").at(-1)!;
const secretIn = (page: Page) => page.textAt("code.secret");

Deno.test("a form makes an app, and the next page shows its secret once, with all that its program needs", async () => {
  const path = await make();
  const page = await readPage(admin.get(path));
  const secret = secretIn(page)!;
  strictEqual((await authenticateClient(services, { clientId: idIn(path), secret }))?.name, "Wiki");
  for (const value of [services.config.baseUrl, idIn(path), "https://wiki.example/two", `client_secret = ${secret}`]) {
    ok(page.text.includes(value), value);
  }
  const again = await readPage(admin.get(path));
  strictEqual(secretIn(again), null);
  match(again.text, /client_secret = \.\.\./);
});

Deno.test("a page or an app on a device gets no secret", async () => {
  const path = await make({ kind: "public", redirect_uris: "com.example.app:/cb" });
  strictEqual(secretIn(await readPage(admin.get(path))), null);
  strictEqual((await authenticateClient(services, { clientId: idIn(path), secret: null }))?.isPublic, true);
});

for (
  const [kind, grantTypes, isPublic] of [
    ["device", ["urn:ietf:params:oauth:grant-type:device_code", "refresh_token"], true],
    ["service", ["client_credentials"], false],
  ] as const
) {
  Deno.test(`the form makes a ${kind}, which stays one when it is changed`, async () => {
    const fields = { redirect_uris: "", scope: "users:read" };
    const path = await make({ kind, ...fields });
    const made = async () => {
      const { grantTypes, isPublic } = (await findClient(services, idIn(path)))!;
      return { grantTypes, isPublic };
    };
    deepStrictEqual(await made(), { grantTypes, isPublic });
    const changed = await admin.submit(`${path}/edit`, { ...fields, client_name: "Other", reason: "its name" });
    strictEqual(changed.status, 303, await changed.text());
    deepStrictEqual(await made(), { grantTypes, isPublic });
  });
}

for (
  const [what, fields, texts] of [
    ["its fields", { client_name: "", groups: "No", reason: "" }, ["Enter the name of the app", "Enter a reason"]],
    ["what they name", { redirect_uris: "ftp://x", scope: "openid nothing" }, ["Use an https address", "no scope"]],
    ["its kind", { redirect_uris: "com.example:/cb", kind: "confidential" }, ["Only an app without a secret"]],
  ] as const
) {
  Deno.test(`a form with mistakes in ${what} comes back with what was entered`, async () => {
    const entered = { ...FIELDS, kind: "public", reason: "a new wiki", ...fields };
    const response = await admin.submit(NEW, entered);
    const page = await readPage(response);
    strictEqual(response.status, 400);
    for (const text of texts) ok(page.text.includes(text), text);
    strictEqual(page.field("redirect_uris").value.trim(), entered.redirect_uris);
    ok(page.find(`[value="${entered.kind}"]`).hasAttribute("checked"));
  });
}

Deno.test("the form that changes an app keeps what it does not show", async () => {
  const path = await make();
  const id = idIn(path);
  const { fields } = (await findMadeClient(services.db, id))!;
  await admin.request(`/api/admin/clients/${id}`, {
    method: "PUT",
    body: JSON.stringify({ ...fields, scope: "openid", access_ttl: 600, reason: "shorter" }),
    headers: { "Content-Type": "application/json" },
  });
  match(await html(admin, `${path}/edit`), /https:\/\/wiki\.example\/cb\nhttps:\/\/wiki\.example\/two/);
  const changed = await admin.submit(`${path}/edit`, {
    ...FIELDS,
    client_name: "Team wiki",
    reason: "its name",
    stays: "on",
  });
  deepStrictEqual([changed.status, changed.headers.get("Location")], [303, path]);
  const after = (await findMadeClient(services.db, id))!.fields;
  deepStrictEqual([after.client_name, after.grant_lifetime, after.access_ttl], ["Team wiki", "offline", 600]);
  match((await readPage(admin.get(path))).heading, /Team wiki/);
});

Deno.test("buttons make a second secret, delete one and delete the app", async () => {
  const path = await make();
  const id = idIn(path);
  await admin.get(path);
  await admin.submit(path, { action: "secret", reason: "a new server" });
  const secret = secretIn(await readPage(admin.get(path)))!;
  strictEqual((await authenticateClient(services, { clientId: id, secret }))?.id, id);
  const third = await admin.submit(path, { action: "secret", reason: "one more" });
  match(await third.text(), /The app has two secrets\. Delete one first\./);
  await admin.submit(path, { deleteSecret: "2", reason: "a leak" });
  strictEqual(await authenticateClient(services, { clientId: id, secret }), null);
  await createSecret(services, { id, by: COMMAND_LINE, reason: "a test" });
  const gone = await admin.submit(path, { action: "delete", reason: "no longer used" });
  strictEqual(gone.headers.get("Location"), "/admin/apps");
  strictEqual((await admin.get(path)).status, 404);
  doesNotMatch(await html(admin, "/admin/apps"), new RegExp(id));
});
