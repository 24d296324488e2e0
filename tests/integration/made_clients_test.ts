import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { createClient, deleteClient } from "../../lib/admin/client_acts.ts";
import { authenticateClient } from "../../lib/authorization_server/tokens/client_authentication.ts";
import { createLogoutDispatcher } from "../../lib/authorization_server/logout/logout_queue.ts";
import { DEFAULT_FIELDS } from "../../lib/clients/client_schema.ts";
import { MadeClientSchema } from "../../lib/clients/made_client_schema.ts";
import { sweepLogouts } from "../../lib/grants/logout_delivery.ts";
import { findClient, listTakenOver, refreshClients } from "../../lib/clients/registrations.ts";
import { COMMAND_LINE } from "../../lib/activity/events.ts";
import { exportBackup } from "../../lib/installation/backup/export.ts";
import { restoreBackup } from "../../lib/installation/backup/restore.ts";
import { createWebhookSender } from "../../lib/webhooks/sender.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { registerAdmin } from "../support/app/admins.ts";
import { createToken } from "../support/app/api_tokens.ts";
import {
  connect,
  errorOf,
  exchange,
  giveCode,
  NOTES,
  postForm,
  REDIRECT_URI,
  tokensIn,
} from "../support/app/authorization.ts";
import { openSharedTestApp, openTestApp, openTestInstance, type TestInstance } from "../support/app/test_app.ts";
import { withFolder } from "../support/database/engines.ts";
import { startLogoutReceiver } from "../support/app/logout_receiver.ts";

// Without CLIENTS_FILE: what apps need is there with the first one.
const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0", TOKEN_AUDIENCES: NOTES });
const { services } = app;
const { db } = services;
const admin = await registerAdmin(app, "grace@example.com");

type Json = ReturnType<typeof JSON.parse>;

async function send(method: string, path: string, body: Record<string, unknown> = {}): Promise<Json> {
  const response = await admin.client.request(`/api/admin/clients${path}`, {
    method,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ reason: "a new wiki", ...body }),
  });
  const text = await response.text();
  return { status: response.status, ...text === "" ? {} : JSON.parse(text) };
}

/** Makes an app, and returns its id. */
async function make(fields: Record<string, unknown> = {}): Promise<string> {
  const { status, data, ...rest } = await send("POST", "", {
    client_name: "Wiki",
    redirect_uris: [REDIRECT_URI],
    ...fields,
  });
  strictEqual(status, 201, JSON.stringify(rest));
  return data.clientId;
}

const makeSecret = async (id: string): Promise<{ n: number; secret: string }> => await send("POST", `/${id}/secrets`);
const somebody = () => registerVerifiedUser(app, `${crypto.randomUUID()}@example.com`);

/** Opens an instance that has read no app yet. */
const openInstance = (): Promise<TestInstance> =>
  openTestInstance(app, (own) => ({ ...own, config: { ...own.config, registrations: null } }));

async function eventsOf(kind: "client.created" | "client.changed" | "client.deleted") {
  const rows = await db.selectFrom("events").select(["actor_id", "user_id", "details"]).where("kind", "=", kind)
    .orderBy("id", "desc").limit(1).execute();
  return rows[0];
}

Deno.test("the first app switches the routes of apps on, and its key is there at once", async () => {
  strictEqual((await app.client().get("/.well-known/openid-configuration")).status, 404);
  const id = await make();
  match(id, /^app_[0-9A-Za-z]{22}$/);
  strictEqual((await app.client().get("/.well-known/openid-configuration")).status, 200);
  const { keys } = await (await app.client().get("/.well-known/jwks.json")).json();
  ok(keys.some(({ alg }: { alg: string }) => alg === "RS256"));
  const { client } = await somebody();
  ok((await connect(app, client, id)).id_token, "a person signs in");
});

Deno.test("an app is made, changed and deleted, and each leaves an event and an alert to all admins", async () => {
  const other = await registerAdmin(app);
  const about = () => app.mails.splice(0).map(({ to, subject }) => `${to}: ${subject}`).sort();
  await app.deliverMails();
  about();
  const id = await make({ scope: "openid email", grant_lifetime: "offline" });
  await app.deliverMails();
  deepStrictEqual(
    about(),
    [admin.email, other.email].map((to) => `${to}: An admin added the app Wiki to Foyer`).sort(),
  );
  deepStrictEqual(await eventsOf("client.created"), {
    actor_id: admin.id,
    user_id: null,
    details: { app: id, name: "Wiki", reason: "a new wiki" },
  });
  const { data: [before] } = await (await admin.client.get("/api/admin/clients")).json().then(({ data }) => ({
    data: data.filter(({ clientId }: Json) => clientId === id),
  }));
  deepStrictEqual([before.source, before.confidential, before.scopes, before.secrets], [
    "browser",
    false,
    ["openid", "email"],
    [],
  ]);
  const changed = await send("PUT", `/${id}`, { ...before.fields, client_name: "Team wiki" });
  deepStrictEqual([changed.status, changed.data.name, changed.data.fields], [200, "Team wiki", {
    ...before.fields,
    client_name: "Team wiki",
  }]);
  deepStrictEqual((await eventsOf("client.changed")).details, {
    app: id,
    name: "Wiki",
    fields: ["client_name"],
    reason: "a new wiki",
  });
  await app.deliverMails();
  deepStrictEqual(about().length, 2);
  await send("PUT", `/${id}`, changed.data.fields);
  await app.deliverMails();
  deepStrictEqual(about(), [], "nothing has changed");
  strictEqual((await send("DELETE", `/${id}`)).status, 204);
  deepStrictEqual((await eventsOf("client.deleted")).details, { app: id, name: "Team wiki", reason: "a new wiki" });
  await app.deliverMails();
  deepStrictEqual(about().length, 2);
  for (const method of ["PUT", "DELETE"]) {
    strictEqual((await send(method, `/${id}`, method === "PUT" ? changed.data.fields : {})).status, 404);
  }
  await db.updateTable("users").set({ role: "user" }).where("id", "=", other.id).execute();
});

for (
  const [field, value, problem] of [
    ["client_name", " ", "Must be a readable name"],
    ["client_name", undefined, "Required"],
    ["redirect_uris", ["https://a.example/#x"], "Must have no fragment"],
    ["redirect_uris", "https://a.example", "Must be a list"],
    ["redirect_uris", ["ftp://a.example"], /^Must be https, http on/],
    ["redirect_uris", Array(21).fill(REDIRECT_URI), "Must have at most 20 entries"],
    ["post_logout_redirect_uris", ["https://*.example"], "Must have no wildcard"],
    ["backchannel_logout_uri", "https://10.0.0.1/logout", /^Must be an https address on the public Internet/],
    ["backchannel_logout_uri", "http://localhost/logout", /^Must be an https address on the public Internet/],
    ["scope", "openid admin", "Is not a known scope: admin"],
    ["scope", "", "Choose at least one scope"],
    ["resources", ["https://other.example"], "Is neither among the resources nor in TOKEN_AUDIENCES"],
    ["first_party", true, "Only CLIENTS_FILE may set this"],
    ["require_pkce", false, "Only CLIENTS_FILE may set this"],
    ["access_ttl", 59, "Must be a whole number from 60 to 3600"],
    ["groups", ["nobody"], "There is no group nobody"],
    ["groups", ["No body"], /^Must begin with a lowercase letter/],
    ["origins", ["https://a.example/x"], "Must be an origin such as https://app.example.com"],
    ["client_uri", "http://a.example", "Must be an https URL"],
    ["client_id", "wiki", "Is not a known field"],
    ["client_secret_hashes", [], "Is not a known field"],
    ["manages_groups", ["staff"], "Only CLIENTS_FILE may set this"],
    ["reason", undefined, "Required"],
  ] as const
) {
  Deno.test(`${field}: ${JSON.stringify(value)?.slice(0, 40)} is refused`, async () => {
    const fields = { client_name: "Wiki", redirect_uris: [REDIRECT_URI], [field]: value };
    const { status, details } = await send("POST", "", fields);
    deepStrictEqual([status, Object.keys(details)], [400, [field]]);
    match(details[field][0], problem instanceof RegExp ? problem : new RegExp(`^${problem}$`));
  });
}

Deno.test("the resources of TOKEN_AUDIENCES may be named, and defaults are those of the file", async () => {
  const id = await make({ resources: ["https://notes.example"], first_party: false, require_pkce: true });
  const client = (await findClient(services, id))!;
  deepStrictEqual([client.resources, client.grantLifetime, client.accessTtlSeconds, client.origins], [
    ["https://notes.example"],
    "session",
    services.config.accessTtlSeconds,
    ["https://app.example"],
  ]);
});

Deno.test("a secret is shown once, two are right at a time, and each can be deleted by its number", async () => {
  const id = await make();
  const tokens = (secret?: string) =>
    errorOf(postForm(app, "/oauth/token", {
      client_id: id,
      client_secret: secret,
      grant_type: "authorization_code",
      code: "x",
      redirect_uri: REDIRECT_URI,
    }));
  const [KNOWN, UNKNOWN] = [[400, "invalid_grant"], [401, "invalid_client"]];
  deepStrictEqual(await tokens(), KNOWN, "a public app");
  const first = await makeSecret(id);
  const second = await makeSecret(id);
  deepStrictEqual([first.n, second.n, first.secret.length], [1, 2, 43]);
  deepStrictEqual([await tokens(), await tokens(first.secret), await tokens(second.secret)], [UNKNOWN, KNOWN, KNOWN]);
  const third = await send("POST", `/${id}/secrets`);
  deepStrictEqual([third.status, third.code], [409, "TOO_MANY"]);
  const text = await (await admin.client.get("/api/admin/clients")).text();
  ok(!text.includes(first.secret) && !/[0-9a-f]{64}/.test(text), "neither a secret nor its hash");
  strictEqual((await send("DELETE", `/${id}/secrets/1`)).status, 204);
  deepStrictEqual([await tokens(first.secret), await tokens(second.secret)], [UNKNOWN, KNOWN]);
  strictEqual((await send("DELETE", `/${id}/secrets/1`)).status, 404);
  strictEqual((await send("DELETE", `/${id}/secrets/x`)).status, 404);
  strictEqual((await send("DELETE", `/${id}/secrets/2`)).status, 204);
  deepStrictEqual([await tokens(), await tokens(second.secret)], [UNKNOWN, UNKNOWN], "it does not become public again");
  strictEqual((await makeSecret(id)).n, 3);
});

Deno.test("of three requests for a secret at once, two succeed", async () => {
  const id = await make();
  const statuses = await Promise.all([1, 2, 3].map(async () => (await send("POST", `/${id}/secrets`)).status));
  deepStrictEqual(statuses.sort(), [201, 201, 409]);
});

Deno.test("an app with the address of a phone app gets no secret, and one with a secret no such address", async () => {
  const phone = await make({ redirect_uris: ["com.example.app:/cb"] });
  deepStrictEqual((await send("POST", `/${phone}/secrets`)).details, {
    redirect_uris: ["May begin with the scheme of an app only if the client has no secret"],
  });
  const site = await make();
  await makeSecret(site);
  const change = await send("PUT", `/${site}`, { client_name: "Wiki", redirect_uris: ["com.example.app:/cb"] });
  deepStrictEqual([change.status, Object.keys(change.details)], [400, ["redirect_uris"]]);
});

Deno.test("no API token makes an app", async () => {
  const { headers } = await createToken(admin.client, { scopes: ["admin"] });
  const body = JSON.stringify({ client_name: "Wiki", reason: "why not" });
  const request = { method: "POST", body, headers: { ...headers, "Content-Type": "application/json" } };
  const response = await app.client().request("/api/admin/clients", request);
  deepStrictEqual([response.status, (await response.json()).code], [403, "SESSION_REQUIRED"]);
});

Deno.test("another instance lets a new app in at once, and refuses one that was deleted or changed here", async () => {
  await using other = await openInstance();
  await refreshClients(other.services);
  const { client: person } = await somebody();
  const id = await make();
  strictEqual(other.services.config.registrations?.clients.has(id), false, "its list is older");
  const authorize = async () => {
    const query = new URLSearchParams({
      client_id: id,
      redirect_uri: REDIRECT_URI,
      response_type: "code",
      code_challenge: "x".repeat(43),
      code_challenge_method: "S256",
    });
    return (await other.client().get(`/oauth/authorize?${query}`)).status;
  };
  strictEqual(await authorize(), 303);
  const { access_token: token, refresh_token: refreshToken } = await connect(app, person, id, {
    scopes: ["openid", "offline_access"],
  });
  const userinfo = async () =>
    (await other.client().request("/oauth/userinfo", { headers: { Authorization: `Bearer ${token}` } })).status;
  const refreshed = () =>
    postForm(other, "/oauth/token", { client_id: id, grant_type: "refresh_token", refresh_token: refreshToken });
  strictEqual(await userinfo(), 200);
  await tokensIn(refreshed());
  strictEqual((await send("DELETE", `/${id}`)).status, 204);
  ok(other.services.config.registrations!.clients.has(id), "its list is older");
  deepStrictEqual([await userinfo(), await authorize()], [401, 400]);
  deepStrictEqual(await errorOf(refreshed()), [401, "invalid_client"]);
  const listed = (await (await admin.client.get("/api/admin/clients")).json()).data as Json[];
  ok(listed.every(({ clientId }) => clientId !== id));
});

Deno.test("another instance gives a new app with a secret everything at once, and nothing once it was deleted here", async () => {
  await using other = await openInstance();
  await refreshClients(other.services);
  const { client: person } = await somebody();
  const fields = MadeClientSchema.parse({
    client_name: "Wiki",
    redirect_uris: [REDIRECT_URI],
    scope: "openid offline_access users:read",
    grant_types: ["authorization_code", "refresh_token", "client_credentials"],
    resources: [NOTES],
  });
  const makeConfidential = async () => {
    const made = await createClient(services, { fields, hasSecret: true, by: COMMAND_LINE, reason: "a test" });
    return { client_id: made.id, client_secret: made.secret!.secret };
  };
  const [wiki, notes] = [await makeConfidential(), await makeConfidential()];
  const ask = (path: string, form: Record<string, string>, as = wiki) => postForm(other, path, { ...as, ...form });
  const askForItself = () => ask("/oauth/token", { grant_type: "client_credentials" });
  const give = (request: { scopes: string[]; resource?: string }) => giveCode(app, person, wiki.client_id, request);
  const isActive = async (token: string, as = wiki) =>
    (await (await ask("/oauth/introspect", { token }, as)).json()).active;

  const service = await tokensIn(askForItself());
  const tokens = await tokensIn(exchange(other, await give({ scopes: ["openid", "offline_access"] }), wiki));
  const forNotes = await tokensIn(exchange(other, await give({ scopes: [], resource: NOTES }), wiki));
  for (const token of [service.access_token, tokens.access_token, tokens.refresh_token!, forNotes.access_token]) {
    strictEqual(await isActive(token), true);
  }
  strictEqual(await isActive(forNotes.access_token, notes), true, "to another app with the same resource");

  const unused = await give({ scopes: ["openid"] });
  strictEqual((await send("DELETE", `/${wiki.client_id}`)).status, 204);
  const refused: Record<string, Promise<Response>> = {
    "a code": exchange(other, unused, wiki),
    "a refresh": ask("/oauth/token", { grant_type: "refresh_token", refresh_token: tokens.refresh_token! }),
    "a token for itself": askForItself(),
    introspection: ask("/oauth/introspect", { token: tokens.access_token }),
    revocation: ask("/oauth/revoke", { token: tokens.access_token }),
  };
  for (const [what, response] of Object.entries(refused)) {
    deepStrictEqual(await errorOf(response), [401, "invalid_client"], what);
  }
  strictEqual(await isActive(forNotes.access_token, notes), false);
  const headers = { Authorization: `Bearer ${service.access_token}` };
  strictEqual((await other.client().get("/api/users", headers)).status, 401);
});

Deno.test("what reads lists knows of changes on another instance after its next look", async () => {
  await using other = await openInstance();
  const id = await make({ redirect_uris: ["https://new.example/cb"] });
  const namesThere = async () => {
    await refreshClients(other.services);
    return other.services.config.registrations?.clients.get(id)?.name;
  };
  const allowed = async () => {
    const headers = { Origin: "https://new.example", "Access-Control-Request-Method": "POST" };
    return (await other.client().request("/oauth/token", { method: "OPTIONS", headers })).headers
      .get("Access-Control-Allow-Origin");
  };
  strictEqual(await namesThere(), "Wiki");
  strictEqual(await allowed(), "https://new.example");
  await send("PUT", `/${id}`, { client_name: "Other wiki" });
  strictEqual(await namesThere(), "Other wiki");
  strictEqual(await allowed(), null);
  await send("DELETE", `/${id}`);
  strictEqual(await namesThere(), undefined);
});

Deno.test("deleting an app ends its grants, forgets what people have allowed it, and refuses a code at that moment", async () => {
  const { client: person, id: userId } = await somebody();
  const id = await make();
  await connect(app, person, id);
  const registered = services.config.registrations!.clients.get(id)!;
  strictEqual((await send("DELETE", `/${id}`)).status, 204);
  for (const table of ["grants", "consents"] as const) {
    deepStrictEqual(await db.selectFrom(table).select("id").where("client_id", "=", id).execute(), [], table);
  }
  const { details } = await db.selectFrom("events").select("details").where("user_id", "=", userId)
    .where("kind", "=", "app.ended").executeTakeFirstOrThrow();
  deepStrictEqual(details, { app: id, reason: "a new wiki" });
  // A request that read the app before it was deleted.
  services.config.registrations!.clients.set(id, registered);
  await rejects(giveCode(app, person, id), (error) => error instanceof AppError && error.code === "NOT_FOUND");
  services.config.registrations!.clients.delete(id);
});

Deno.test("a group that an app names cannot be deleted, on any instance", async () => {
  await using other = await openInstance();
  const path = "/api/admin/groups/editors";
  await admin.client.send("PUT", path, { title: "Editors" });
  const id = await make({ groups: ["editors"] });
  const another = other.client();
  another.cookies.set("auth_session", admin.client.cookies.get("auth_session")!);
  const refused = await another.request(path, { method: "DELETE", headers: { Origin: services.config.baseUrl } });
  deepStrictEqual([refused.status, (await refused.json()).message], [409, "Wiki names this group. Change that first"]);
  const { client: outsider } = await somebody();
  strictEqual((await outsider.get(`/oauth/authorize?client_id=${id}`)).status, 400);
  await send("DELETE", `/${id}`);
  strictEqual((await admin.client.request(path, { method: "DELETE" })).status, 204);
});

Deno.test("CLIENTS_FILE wins whole over an app that was made here", async () => {
  const id = await make();
  const { secret } = await makeSecret(id);
  const { registeredClient } = await import("../../lib/clients/client_schema.ts");
  const fields = { ...DEFAULT_FIELDS, client_id: id, client_name: "Of the file" };
  const client = registeredClient(fields, { ...services.config, isPublic: true });
  const ofFile = { clients: new Map([[id, client]]), resources: new Map() };
  await using other = await openTestInstance(app, (own) => ({
    ...own,
    config: { ...own.config, registrations: ofFile },
  }));
  await refreshClients(other.services);
  deepStrictEqual(await listTakenOver(other.services), [id]);
  deepStrictEqual((await findClient(other.services, id))?.name, "Of the file");
  const form = { client_id: id, client_secret: secret, grant_type: "authorization_code" };
  deepStrictEqual(await errorOf(postForm(other, "/oauth/token", form)), [401, "invalid_client"]);
  const there = other.client();
  there.cookies.set("auth_session", admin.client.cookies.get("auth_session")!);
  for (const [method, path] of [["PUT", ""], ["DELETE", ""], ["POST", "/secrets"], ["DELETE", "/secrets/1"]]) {
    const body = JSON.stringify({ ...method === "PUT" && { client_name: "Mine" }, reason: "a try" });
    const headers = { "Content-Type": "application/json" };
    const response = await there.request(`/api/admin/clients/${id}${path}`, { method, body, headers });
    deepStrictEqual([response.status, (await response.json()).code], [409, "MANAGED_BY_FILE"], method + path);
  }
});

Deno.test("after the last app was deleted, a start still has the routes of apps", async () => {
  await using own = await openTestApp();
  const fields = MadeClientSchema.parse({ client_name: "Wiki" });
  const { id } = await createClient(own.services, { fields, by: COMMAND_LINE, reason: "a test" });
  await own.services.db.updateTable("clients").set({ fields: "{}", deleted_at: own.services.now() })
    .set((eb) => ({ version: eb("version", "+", 1) })).where("id", "=", id).execute();
  const restarted = { ...own.services, config: { ...own.services.config, registrations: null } };
  await refreshClients(restarted);
  strictEqual(restarted.config.registrations === null, false);
});

Deno.test("a backup has the apps that were made here, with their secrets", () =>
  withFolder(async (folder) => {
    await using own = await openTestApp();
    const fields = MadeClientSchema.parse({ client_name: "Wiki", redirect_uris: [REDIRECT_URI] });
    const made = await createClient(own.services, { fields, hasSecret: true, by: COMMAND_LINE, reason: "a test" });
    const file = `${folder}/1.tar`;
    await exportBackup(own.services, { file });
    await using other = await openTestApp();
    await restoreBackup(other.services, { file, isMove: false });
    const client = await authenticateClient(other.services, { clientId: made.id, secret: made.secret!.secret });
    strictEqual(client?.name, "Wiki");
  }));

// Last, because it moves the clock.
Deno.test("an app hears of a logout through the guarded client, and not at an inside address", async () => {
  await using receiver = startLogoutReceiver();
  const guarded = createWebhookSender({ allowsPrivate: false });
  const open = { ...services, webhooks: createWebhookSender({ allowsPrivate: true }) };
  const fields = MadeClientSchema.parse({
    client_name: "Wiki",
    redirect_uris: [REDIRECT_URI],
    backchannel_logout_uri: receiver.url,
  });
  const { id } = await createClient(open, { fields, by: COMMAND_LINE, reason: "a test" });
  const { client: person } = await somebody();
  await connect(app, person, id);
  await person.send("POST", "/auth/logout", {});
  const deliver = async (own: typeof services) => {
    const dispatcher = createLogoutDispatcher(own);
    await dispatcher.dispatch();
    await dispatcher.waitUntilIdle();
    return receiver.received.length;
  };
  strictEqual(await deliver({ ...services, webhooks: guarded }), 0);
  app.advance(3600);
  strictEqual(await deliver(open), 1);
  await connect(app, (await somebody()).client, id);
  await connect(app, (await somebody()).client, id);
  await deleteClient(open, { id, by: COMMAND_LINE, reason: "a test" });
  await sweepLogouts(services);
  strictEqual(await deliver({ ...open, config: { ...services.config } }), 1, "which has not read that it is gone");
  strictEqual(await deliver(open), 3, "it still hears of the sessions that ended with it");
  const leftOf = async () =>
    (await db.selectFrom("clients").select("fields").where("id", "=", id).executeTakeFirstOrThrow()).fields;
  deepStrictEqual(await leftOf(), { backchannel_logout_uri: receiver.url, id_token_signed_response_alg: "RS256" });
  app.advance(3 * 24 * 3600);
  await sweepLogouts(services);
  deepStrictEqual(await leftOf(), {}, "a few days later nothing is left");
  strictEqual(await deliver(open), 3);
});

Deno.test("the first app opens the routes of apps on other instances at once, with one look a second", async () => {
  await using own = await openTestApp();
  let looks = 0;
  await using other = await openTestInstance(own, (its) => ({
    ...its,
    config: { ...its.config, registrations: null },
    db: its.db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult({ result }) {
        if (result.rows[0]?.version !== undefined) looks++;
        return Promise.resolve(result);
      },
    }),
  }));
  const statuses = async (paths: string[]) => {
    const responses = await Promise.all(paths.map((path) => other.client().get(path)));
    return responses.map(({ status }) => status);
  };
  const [page, document] = ["/oauth/authorize", "/.well-known/openid-configuration"];
  deepStrictEqual(await statuses(Array.from({ length: 9 }, () => page)), Array.from({ length: 9 }, () => 404));
  strictEqual(looks, 1);
  const fields = MadeClientSchema.parse({ client_name: "Wiki" });
  await createClient(own.services, { fields, by: COMMAND_LINE, reason: "a test" });
  own.advance(1);
  deepStrictEqual(await statuses([document, page]), [200, 400]);
  strictEqual(looks, 2, "and no more after it is there");
});
