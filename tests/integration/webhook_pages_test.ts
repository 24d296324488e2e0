import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { HOUR_SECONDS } from "../../lib/duration.ts";
import { listDeliveries } from "../../lib/webhooks/delivery_list.ts";
import { createWebhookSender } from "../../lib/webhooks/sender.ts";
import { listWebhooks } from "../../lib/webhooks/webhook.ts";
import { EVENT_KINDS } from "../../lib/activity/kinds.ts";
import { readPage } from "../support/app/page_reader.ts";
import { PASSWORD } from "../support/app/accounts.ts";
import { registerAdmin } from "../support/app/admins.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import { deliverDueWebhooks } from "../support/webhooks/deliver_due_webhooks.ts";
import { isSigned, startReceiver } from "../support/webhooks/receiver.ts";

const app = await openSharedTestApp({ WEBHOOK_ALLOW_PRIVATE: "true", LOGIN_MAX_ATTEMPTS: "0" });
const { services } = app;
const { db } = services;
const receiver = startReceiver();
Deno.test.afterAll(() => receiver[Symbol.asyncDispose]());
Deno.test.beforeEach(async () => {
  // The library of Standard Webhooks compares timestamps with the clock of the machine.
  app.advance((Date.now() - services.now().getTime()) / 1000);
  await app.database.empty();
  receiver.received.length = 0;
});

/** An admin who has added a webhook on the page, its secret, and the path of its page. */
async function addWebhook() {
  const { client, id: userId } = await registerAdmin(app);
  const fields = { url: `${receiver.url}/hook`, "session.started": "on", "totp.enabled": "on" };
  const response = await client.submit("/admin/webhooks/new", fields);
  strictEqual(response.status, 303, await response.text());
  const path = response.headers.get("Location")!;
  const shown = await (await client.get(path)).text();
  return { client, userId, path, secret: secretIn(shown)! };
}

const secretIn = (page: string) => page.match(/whsec_[A-Za-z0-9+/]{43}=/)?.[0];

Deno.test("an admin adds a webhook, sees the secret once, and sends a test", async () => {
  const { client, path, secret } = await addWebhook();
  strictEqual(secretIn(await (await client.get(path)).text()), undefined, "only once");
  const list = await (await client.get("/admin/webhooks")).text();
  match(list, /127\.0\.0\.1:\d+/);
  match(list, /session\.started, totp\.enabled/);
  ok(!list.includes("/hook"), "the list does not show the path, which may be secret");
  strictEqual((await client.submit(path, { action: "test" })).status, 303);
  strictEqual(await deliverDueWebhooks(services), 1);
  ok(isSigned(receiver.received[0], secret));
  match(await (await client.get(path)).text(), /webhook\.test[\s\S]*Delivered/);
});

Deno.test("every event is one choice, and lists name only the first events of a webhook", async () => {
  const { client } = await registerAdmin(app);
  const url = `${receiver.url}/hook`;
  const all = await client.submit("/admin/webhooks/new", { url, every: "on" });
  strictEqual(all.status, 303, await all.text());
  const some = { "session.started": "on", "totp.enabled": "on", "user.deleted": "on", "upload.stored": "on" };
  await client.submit("/admin/webhooks/new", { url, ...some });
  const counts = (await listWebhooks(db)).map(({ kinds }) => kinds.length);
  deepStrictEqual(counts.sort((a, b) => a - b), [4, EVENT_KINDS.length]);
  const list = await readPage(client.get("/admin/webhooks"));
  deepStrictEqual(list.textsAt("tbody .meta").sort(), [
    "Every event",
    "user.deleted, session.started, totp.enabled and 1 more",
  ]);
  const form = await readPage(client.submit("/admin/webhooks/new", { url: "ftp://example.com/", every: "on" }));
  ok(form.field("every").isChecked);
  const groups = form.textsAt("fieldset summary");
  deepStrictEqual(groups, ["Accounts", "Login", "Apps and API tokens", "Files", "Administration"]);
  strictEqual(form.findAll("fieldset details input").length, EVENT_KINDS.length);
});

Deno.test("an admin replaces the secret, repeats a delivery, and deletes the webhook", async () => {
  const { client, path, secret } = await addWebhook();
  await client.submit(path, { action: "rotate" });
  const second = secretIn(await (await client.get(path)).text())!;
  ok(second !== secret);
  await client.submit(path, { action: "test" });
  await deliverDueWebhooks(services);
  const { deliveries: [{ id }] } = await listDeliveries(db, { webhookId: path.split("/").at(-1)!, limit: 1 });
  strictEqual((await client.submit(path, { replay: id })).status, 303);
  await deliverDueWebhooks(services);
  strictEqual(receiver.received.length, 2);
  for (const each of [secret, second]) ok(receiver.received.every((message) => isSigned(message, each)));
  strictEqual((await client.submit(path, { action: "delete" })).headers.get("Location"), "/admin/webhooks");
  deepStrictEqual(await listWebhooks(db), []);
  strictEqual((await client.get(path)).status, 404);
});

Deno.test("a webhook that is off says why, and is turned on again", async () => {
  const { client, path } = await addWebhook();
  receiver.answer = () => new Response(null, { status: 410 });
  await client.submit(path, { action: "test" });
  await deliverDueWebhooks(services);
  const page = await (await client.get(path)).text();
  match(page, /The receiver says that it is gone/);
  match(page, /The receiver responded with 410/);
  await client.submit(path, { action: "enable" });
  strictEqual((await listWebhooks(db))[0].disabledAt, null);
});

Deno.test("after the proof has expired, a form comes back with it, and nothing is lost", async () => {
  const { client, path } = await addWebhook();
  app.advance(HOUR_SECONDS);
  match((await client.get("/admin/webhooks/new")).headers.get("Location")!, /^\/reauthenticate\?next=/);
  ok((await readPage(client.get(path))).fieldNames.includes("proof_password"));
  const fields = { url: "https://hooks.example.com/", "login.failed": "on" };
  const refused = await client.submit("/admin/webhooks/new", fields);
  const form = await readPage(refused);
  strictEqual(form.field("url").value, fields.url);
  ok(form.find('details[open] [name="login.failed"]'));
  ok(form.fieldNames.includes("proof_password"));
  strictEqual((await client.submit(path, { action: "delete" })).status, 403);
  strictEqual((await listWebhooks(db)).length, 1);
  const accepted = await client.submit("/admin/webhooks/new", { ...fields, proof_password: PASSWORD });
  strictEqual(accepted.status, 303, await accepted.text());
  strictEqual((await listWebhooks(db)).length, 2);
});

Deno.test("a form without events, or with a URL that cannot be used, comes back with what was entered", async () => {
  const { client } = await addWebhook();
  const response = await client.submit("/admin/webhooks/new", { url: "ftp://example.com/" });
  strictEqual(response.status, 400);
  const page = await readPage(response);
  match(page.text, /Choose one or more events/);
  strictEqual(page.field("url").value, "ftp://example.com/");
  deepStrictEqual(page.textsAt("details[open] summary"), [], "all groups are closed");
  const { webhooks } = services;
  services.webhooks = createWebhookSender({ allowsPrivate: false });
  const inside = await client.submit("/admin/webhooks/new", { url: "https://127.0.0.1/", "login.failed": "on" });
  services.webhooks = webhooks;
  const form = await readPage(inside);
  match(form.text, /Use an https address on the public Internet/);
  deepStrictEqual(form.textsAt("details[open] summary"), ["Login"], "the group with what was chosen is open");
});

Deno.test("the pages of webhooks do not exist for others", async () => {
  const { path } = await addWebhook();
  const { client } = await registerAdmin(app);
  const { id } = (await (await client.get("/api/profile")).json()).user;
  await db.updateTable("users").set({ role: "user" }).where("id", "=", id).execute();
  for (const each of ["/admin/webhooks", "/admin/webhooks/new", path]) {
    strictEqual((await client.get(each)).status, 404, each);
    strictEqual((await client.submit(each, { action: "delete" })).status, 404, each);
    const asked = await app.client().get(each);
    strictEqual(asked.status === 303 ? asked.headers.get("Location")!.split("?")[0] : asked.status, "/login", each);
  }
  strictEqual((await listWebhooks(db)).length, 1);
});
