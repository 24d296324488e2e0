import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { sql } from "kysely";
import { HOUR_SECONDS, unixSeconds } from "../../lib/duration.ts";
import { PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import {
  CLIENTS,
  connect,
  errorOf,
  giveCode,
  NOTES,
  openAuthorizationApp,
  REDIRECT_URI,
  refresh,
  tokensIn,
} from "../support/app/authorization.ts";
import { html } from "../support/app/page_forms.ts";
import { openTestApp } from "../support/app/test_app.ts";
import { registerAdmin } from "../support/app/admins.ts";
import type { RegisteredClient } from "../../lib/config/registered_client.ts";
import { deliverDueLogouts, startLogoutReceiver } from "../support/app/logout_receiver.ts";
import { readPage } from "../support/app/page_reader.ts";

const app = await openAuthorizationApp();

Deno.test("admins see the apps of the file, and how many people use them", async () => {
  const { client: ada, id } = await registerVerifiedUser(app, "ada@example.com");
  const { client: grace } = await registerVerifiedUser(app, "grace@example.com");
  strictEqual((await ada.get("/api/admin/clients")).status, 404);
  await app.services.db.updateTable("users").set({ role: "admin" }).where("id", "=", id).execute();
  await connect(app, ada, "phone");
  await connect(app, ada, "phone");
  await connect(app, grace, "phone");
  // A code that was not exchanged is no sign-in.
  await giveCode(app, grace, "portal");
  const response = await ada.get("/api/admin/clients");
  const text = await response.text();
  strictEqual(response.status, 200);
  ok(!/[0-9a-f]{64}/.test(text), "no hash of a secret");
  const { data } = JSON.parse(text);
  deepStrictEqual(data.map(({ clientId }: { clientId: string }) => clientId), CLIENTS.map((each) => each.client_id));
  const used = unixSeconds(app.services.now());
  const [wiki, , phone, portal] = data;
  deepStrictEqual(phone, {
    clientId: "phone",
    name: "The phone",
    source: "CLIENTS_FILE",
    firstParty: false,
    confidential: false,
    scopes: ["openid", "profile", "email", "offline_access", "profile:read", "notes:read"],
    resources: [NOTES],
    redirectUris: [REDIRECT_URI],
    people: 2,
    grants: 3,
    lastUsedAt: used,
    fields: null,
    secrets: null,
  });
  deepStrictEqual([wiki.confidential, wiki.people, wiki.grants, wiki.lastUsedAt], [true, 0, 0, null]);
  deepStrictEqual([portal.firstParty, portal.people, portal.grants], [true, 1, 0]);
});

const eventsOf = async (kind: "app.ended" | "client.grants_ended") => {
  const rows = await app.services.db.selectFrom("events").select(["user_id", "actor_id", "details", "client_address"])
    .where("kind", "=", kind).orderBy("user_id").execute();
  return rows.map(({ client_address: address, ...row }) => ({ ...row, isFromSomewhere: address !== null }));
};

Deno.test("an admin ends every grant of one app, which hears of it, and consents stay", async () => {
  const { db } = app.services;
  await db.deleteFrom("grants").execute();
  await db.deleteFrom("events").execute();
  const { client: admin, id: adminId } = await registerAdmin(app, "margaret@example.com");
  const people = [
    await registerVerifiedUser(app, "jean@example.com"),
    await registerVerifiedUser(app, "kay@example.com"),
  ];
  const tokens: string[] = [];
  for (const { client } of people) {
    tokens.push(
      (await connect(app, client, "portal")).refresh_token,
      (await connect(app, client, "portal")).refresh_token,
    );
  }
  await giveCode(app, people[0].client, "portal");
  const wiki = await connect(app, people[0].client, "wiki");
  await using receiver = startLogoutReceiver();
  const portal = app.services.config.registrations!.clients.get("portal") as RegisteredClient;
  portal.backchannelLogoutUri = receiver.url;
  const end = (body: unknown, id = "portal") => admin.send("POST", `/api/admin/clients/${id}/end-grants`, body);
  strictEqual((await end({})).status, 400);
  strictEqual((await end({ reason: "A leak" }, "nobody")).status, 404);
  strictEqual((await end({ reason: "A leak" }, "..%2f%00")).status, 404);
  deepStrictEqual(await eventsOf("client.grants_ended"), []);
  const response = await end({ reason: "A leak" });
  deepStrictEqual(await response.json(), { success: true, message: "Grants ended", ended: 4 });
  for (const token of tokens) deepStrictEqual(await errorOf(refresh(app, "portal", token)), [400, "invalid_grant"]);
  await tokensIn(refresh(app, "wiki", wiki.refresh_token));
  const consents = await db.selectFrom("consents").select("id").where("client_id", "=", "portal").execute();
  ok(consents.length >= 2);
  const details = { app: "portal", reason: "A leak" };
  deepStrictEqual(await eventsOf("client.grants_ended"), [
    { user_id: null, actor_id: adminId, details, isFromSomewhere: true },
  ]);
  deepStrictEqual(
    await eventsOf("app.ended"),
    people.map(({ id }) => id).sort().map((id) => ({ user_id: id, actor_id: adminId, details, isFromSomewhere: true })),
  );
  strictEqual(await deliverDueLogouts(app.services), 2);
  strictEqual((await (await end({ reason: "Again" })).json()).ended, 0);
});

Deno.test("the grants of more people than one transaction takes end too", async () => {
  const { db } = app.services;
  const { client: admin } = await registerAdmin(app, "many-admin@example.com");
  const { client } = await registerVerifiedUser(app, "many@example.com");
  await db.deleteFrom("grants").execute();
  await connect(app, client, "one-time");
  await sql`
    with people as (
      insert into users (id, email, name, created_at, updated_at)
      select 'many ' || n, n || '@many.example', 'Many', now(), now() from generate_series(1, 1000) as n returning id
    ), agreed as (
      insert into consents (id, user_id, client_id, scopes, resources, created_at, last_used_at)
      select id, id, 'one-time', '{openid}', '{}', now(), now() from people returning id, user_id
    )
    insert into grants (id, consent_id, user_id, client_id, session_public_id, is_offline, scopes, redirect_uri,
      code_expires_at, code_spent_at, auth_time, acr, amr, generation_at, created_at, last_used_at)
    select agreed.id, agreed.id, agreed.user_id, client_id, 'session', is_offline, scopes, redirect_uri,
      code_expires_at, code_spent_at, auth_time, acr, amr, generation_at, created_at, last_used_at from grants, agreed
  `.execute(db);
  const response = await admin.send("POST", "/api/admin/clients/one-time/end-grants", { reason: "A leak" });
  strictEqual((await response.json()).ended, 1001);
  deepStrictEqual(await db.selectFrom("grants").select("id").execute(), []);
  strictEqual((await eventsOf("client.grants_ended")).filter(({ details }) => details.app === "one-time").length, 1);
});

Deno.test("the administration leads to each app", async () => {
  const { client: admin } = await registerAdmin(app, "leading@example.com");
  ok((await readPage(admin.get("/admin"))).leadsTo("/admin/apps"));
  strictEqual((await readPage(admin.get("/admin/apps"))).link("The wiki").href, "/admin/apps/wiki");
});

Deno.test("the page of an app ends all sign-ins at it, with a proof", async () => {
  const { client: admin } = await registerAdmin(app, "page-admin@example.com");
  const { client } = await registerVerifiedUser(app, "page@example.com");
  const { refresh_token } = await connect(app, client, "wiki");
  app.advance(HOUR_SECONDS);
  strictEqual((await admin.submit("/admin/apps/wiki", { reason: "A leak" })).status, 403, "without a proof");
  await admin.send("POST", "/auth/reauthenticate", { password: PASSWORD });
  match(await html(admin, "/admin/apps/wiki"), /CLIENTS_FILE registers this app/);
  strictEqual((await admin.get("/admin/apps/nobody")).status, 404);
  strictEqual((await admin.submit("/admin/apps/wiki", { reason: "" })).status, 400);
  const done = await admin.submit("/admin/apps/wiki", { reason: "A leak", action: "end" });
  strictEqual(done.headers.get("Location"), "/admin/apps/wiki");
  match(await html(admin, "/admin/apps/wiki"), /All sign-ins at the app ended\./);
  deepStrictEqual(await errorOf(refresh(app, "wiki", refresh_token)), [400, "invalid_grant"]);
  match(await html(admin, "/admin/events"), /All sign-ins at the app “.*The wiki.*” ended/);
});

Deno.test("without an app the page is empty, and offers to make one", async () => {
  await using without = await openTestApp();
  const { client } = await registerAdmin(without, "alone@example.com");
  strictEqual((await client.get("/admin/apps/wiki")).status, 404);
  const page = await readPage(client.get("/admin/apps"));
  match(page.text, /No apps yet\./);
  ok(page.leadsTo("/admin/apps/new"));
  const response = await client.send("POST", "/api/admin/clients/wiki/end-grants", { reason: "A leak" });
  strictEqual(response.status, 404);
});
