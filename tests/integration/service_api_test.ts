import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { ENTRIES } from "../support/api/entries.ts";
import { serviceAccessOf } from "../../lib/api/entry.ts";
import { writeNextEvent } from "../../lib/activity/audit_log.ts";
import { createClient as makeClient, deleteClient, deleteSecret } from "../../lib/admin/client_acts.ts";
import { COMMAND_LINE } from "../../lib/activity/events.ts";
import { MadeClientSchema } from "../../lib/clients/made_client_schema.ts";
import type { RegisteredClient } from "../../lib/config/registered_client.ts";
import { SERVICE_SCOPES } from "../../lib/schemas/scopes.ts";
import { logIn, mailsTo, registerVerifiedUser } from "../support/app/accounts.ts";
import { exchange, giveCode, openAuthorizationApp, postForm, tokensIn } from "../support/app/authorization.ts";
import { createToken } from "../support/app/api_tokens.ts";
import { askAsService, SERVICE_SECRET, serviceApp, serviceToken } from "../support/app/service_apps.ts";
import { writeClientsFile } from "../support/app/clients_file.ts";
import { BASE_URL, openTestApp, type TestApp } from "../support/app/test_app.ts";

/** Apps that act as themselves at our own API: the third kind of caller, besides sessions and API tokens. */

const app = await openAuthorizationApp({ LOGIN_MAX_ATTEMPTS: "0" }, [
  serviceApp("all", { scope: SERVICE_SCOPES.join(" ") }),
  serviceApp("other", { scope: SERVICE_SCOPES.join(" ") }),
  serviceApp("both", {
    scope: "openid profile:read users:read users:emails",
    grant_types: ["authorization_code", "refresh_token", "client_credentials"],
    redirect_uris: ["https://app.example/callback"],
  }),
]);
const { services } = app;
const { db } = services;
const clients = services.config.registrations!.clients as Map<string, RegisteredClient>;
let people = 0;
const newAddress = () => `of-services-${++people}@example.com`;

async function headersOf(scope: string, id = "all", from: Pick<TestApp, "client"> = app) {
  return { Authorization: `Bearer ${await serviceToken(from, id, { scope })}` };
}

async function codeOf(response: Response): Promise<[status: number, code?: string]> {
  return [response.status, (await response.json().catch(() => ({}))).code];
}

function invite(headers: HeadersInit, email = newAddress(), more: HeadersInit = {}): Promise<Response> {
  return app.client().send("POST", "/api/users", { name: "Invited", email }, { ...headers, ...more });
}

async function eventOf(userId: string, kind: string) {
  return await db.selectFrom("events").selectAll().where("user_id", "=", userId).where("kind", "=", kind as never)
    .executeTakeFirstOrThrow();
}

Deno.test("each scope opens exactly its endpoints, and what is about the caller's own account has a refusal of its own", async () => {
  for (const scope of SERVICE_SCOPES) {
    const headers = await headersOf(scope);
    for (const [route, entry] of Object.entries(ENTRIES)) {
      if (entry.forApps !== undefined) continue;
      const access = serviceAccessOf(entry);
      const [method, pattern] = route.split(" ");
      const path = pattern.replaceAll(/\{\w+\*?\}/g, "nothing");
      const response = await app.client().request(path, { method, headers });
      const { code, details } = await response.json().catch(() => ({}));
      const cell = `${scope}: ${route}`;
      const refusal = [response.status, code, details];
      if (access === "user") deepStrictEqual(refusal, [403, "USER_REQUIRED", {}], cell);
      else if (access === null) deepStrictEqual(refusal, [403, "SCOPE_MISSING", { scopes: [] }], cell);
      else if (access === "session" && scope === "admin") deepStrictEqual(refusal, [403, "SESSION_REQUIRED", {}], cell);
      else if (access === "session") deepStrictEqual(refusal, [403, "SCOPE_MISSING", { scopes: ["admin"] }], cell);
      else if (!access.includes(scope)) {
        deepStrictEqual(refusal, [403, "SCOPE_MISSING", { scopes: access.slice(0, 1) }], cell);
      } else ok(![401, 403].includes(response.status), `${cell}: ${response.status} ${code}`);
    }
  }
});

Deno.test("the endpoints about the caller's own account are those of people", () => {
  const open = Object.entries(ENTRIES).filter(([, entry]) => Array.isArray(serviceAccessOf(entry))).map(([key]) => key);
  deepStrictEqual(open.filter((key) => !key.includes("/api/admin/")), [
    "GET /api/users",
    "POST /api/users",
    "GET /api/users/{id}",
  ]);
  const personal = Object.entries(ENTRIES).filter(([, entry]) => serviceAccessOf(entry) === "user").map(([key]) => key);
  for (
    const key of ["GET /api/account", "PUT /api/profile", "GET /auth/check", "POST /auth/logout", "GET /api/tokens"]
  ) {
    ok(personal.includes(key), key);
  }
});

Deno.test("pages, unknown paths and products do not accept such a token, whatever cookies come with it", async () => {
  const { client: person } = await registerVerifiedUser(app, newAddress());
  const headers = await headersOf(SERVICE_SCOPES.join(" "));
  for (const path of ["/", "/dashboard", "/admin", "/admin/users", "/settings/apps"]) {
    deepStrictEqual(await codeOf(await person.get(path, headers)), [403, "SCOPE_MISSING"], path);
  }
  strictEqual((await person.get("/api/admin/nothing", headers)).status, 404);
  for (const path of ["/auth/check", "/auth/check?login=redirect", "/api/profile", "/files/uploads/x/y"]) {
    deepStrictEqual(await codeOf(await person.get(path, headers)), [403, "USER_REQUIRED"], path);
  }
});

Deno.test("an app invites in its own name: the email, the event and the audit log say so", async () => {
  const headers = await headersOf("users:invite");
  const email = newAddress();
  // Another site can send no such header, so the origin does not matter.
  const response = await invite(headers, email, { Origin: "https://evil.example" });
  strictEqual(response.status, 201);
  strictEqual(response.headers.get("Cache-Control"), "no-store");
  const { data: { id } } = await response.json();
  const event = await eventOf(id, "user.registered");
  deepStrictEqual([event.actor, event.actor_id, event.session_public_id], ["client:all", null, null]);
  deepStrictEqual(event.details, { method: "invitation" });
  const [mail] = await mailsTo(app, email);
  match(mail.text, /The all/);
  const admin = await headersOf("admin");
  const listed = await (await app.client().get(`/api/admin/events?actor=client:all&user=${id}`, admin)).json();
  deepStrictEqual(listed.data.map(({ actor, kind }: { actor: string; kind: string }) => [actor, kind]), [
    ["client:all", "user.registered"],
  ]);
  const none = await (await app.client().get(`/api/admin/events?actor=client:other&user=${id}`, admin)).json();
  deepStrictEqual(none.data, []);
  strictEqual((await app.client().get("/api/admin/events?actor=client:a%20b", admin)).status, 400);
  const lines: string[] = [];
  const sink = { write: (line: string) => Promise.resolve(void lines.push(line)) };
  while (await writeNextEvent(services, sink) > 0 || lines.length === 0);
  const line = lines.map((line) => JSON.parse(line)).find(({ userId }) => userId === id);
  deepStrictEqual([line.actor, line.actorId], ["client:all", null]);
});

Deno.test("the person does not learn from where an app has acted", async () => {
  const { client: person, id, email } = await registerVerifiedUser(app, newAddress());
  const headers = await headersOf("admin");
  strictEqual((await app.client().send("POST", `/api/admin/users/${id}/end-sessions`, {}, headers)).status, 200);
  const event = await eventOf(id, "session.ended");
  ok(event.client_address !== null);
  strictEqual(event.actor, "client:all");
  await logIn(person, email);
  const { data } = await (await person.get("/api/account/events")).json();
  const ended = data.find(({ id }: { id: string }) => id === event.id);
  deepStrictEqual([ended.clientAddress, ended.device], [null, null]);
});

Deno.test("with users:emails, people have their address and whether it is confirmed; without it, what others see", async () => {
  const { id, email } = await registerVerifiedUser(app, newAddress());
  await db.updateTable("users").set({ email_visible: false }).where("id", "=", id).execute();
  const read = async (scope: string) => {
    const headers = await headersOf(scope);
    const one = await (await app.client().get(`/api/users/${id}`, headers)).json();
    const list = await (await app.client().get("/api/users?limit=500", headers)).json();
    const listed = list.data.find((user: { id: string }) => user.id === id);
    deepStrictEqual([listed.email, listed.emailVerified], [one.data.email, one.data.emailVerified]);
    return [one.data.email, one.data.emailVerified];
  };
  deepStrictEqual(await read("users:read"), ["", undefined]);
  deepStrictEqual(await read("users:read admin"), ["", undefined]);
  deepStrictEqual(await read("users:read users:emails"), [email, true]);
  const guest = await (await app.client().get(`/api/users/${id}`)).json();
  deepStrictEqual([guest.data.email, "emailVerified" in guest.data], ["", false]);
  const headers = await headersOf("users:emails");
  deepStrictEqual(await codeOf(await app.client().get("/api/users", headers)), [403, "SCOPE_MISSING"]);
});

Deno.test("no person and no API token can have the scopes of such apps", async () => {
  const { client: person, id } = await registerVerifiedUser(app, newAddress());
  await db.updateTable("users").set({ role: "admin" }).where("id", "=", id).execute();
  for (const scope of ["users:emails", "groups:read", "groups:write"]) {
    const body = { name: "Script", scopes: [scope], expiresInDays: 1 };
    deepStrictEqual(await codeOf(await person.send("POST", "/api/tokens", body)), [400, "VALIDATION_FAILED"], scope);
  }
  const { headers: own } = await createToken(person, { scopes: ["users:read", "admin"] });
  const listed = await (await app.client().get("/api/users", own)).json();
  ok(listed.data.every((user: object) => !("emailVerified" in user)));
  // A row that claims otherwise gives no more.
  const code = await giveCode(app, person, "both", { scopes: ["openid", "users:read", "users:emails", "admin"] });
  const given = await tokensIn(exchange(app, code, { client_secret: SERVICE_SECRET }));
  const headers = { Authorization: `Bearer ${given.access_token}` };
  const users = await (await app.client().get("/api/users", headers)).json();
  ok(users.data.every((user: object) => !("emailVerified" in user)));
  deepStrictEqual(await codeOf(await app.client().get("/api/admin/groups", headers)), [403, "SCOPE_MISSING"]);
  const query = new URLSearchParams({
    response_type: "code",
    client_id: "both",
    redirect_uri: "https://app.example/callback",
    scope: "users:emails groups:read",
    code_challenge: "x".repeat(43),
    code_challenge_method: "S256",
  });
  const refused = await person.get(`/oauth/authorize?${query}`);
  match(refused.headers.get("Location") ?? refused.headers.get("Refresh") ?? "", /error=invalid_scope/);
});

Deno.test("with groups:read, an app reads groups and their members, without addresses", async () => {
  const { id, email } = await registerVerifiedUser(app, newAddress());
  const admin = await headersOf("admin");
  strictEqual((await app.client().send("PUT", "/api/admin/groups/crew", { title: "Crew" }, admin)).status, 200);
  await db.insertInto("group_members").values({
    id: crypto.randomUUID(),
    user_id: id,
    group_name: "crew",
    source: "admin",
    created_at: services.now(),
    expires_at: null,
  }).execute();
  const members = async (scope: string) => {
    const response = await app.client().get("/api/admin/groups/crew/members", await headersOf(scope));
    return (await response.json()).data.map((member: { id: string; email: string }) => [member.id, member.email]);
  };
  deepStrictEqual(await members("groups:read"), [[id, ""]]);
  deepStrictEqual(await members("groups:read users:emails"), [[id, email]]);
  deepStrictEqual(await members("admin"), [[id, email]]);
  const headers = await headersOf("groups:read");
  const { data } = await (await app.client().get("/api/admin/groups", headers)).json();
  ok(data.some(({ name }: { name: string }) => name === "crew"));
  const put = await app.client().send("PUT", "/api/admin/groups/crew", { title: "Mine" }, headers);
  deepStrictEqual(await codeOf(put), [403, "SCOPE_MISSING"]);
});

Deno.test("admin allows what an API token with it may do: sessions and immediate deletion stay refused", async () => {
  const { id } = await registerVerifiedUser(app, newAddress());
  const headers = await headersOf("admin");
  const act = (method: string, path: string, body: object) =>
    app.client().request(path, {
      method,
      headers: { ...headers, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
  strictEqual((await act("POST", `/api/admin/users/${id}/suspend`, { reason: "spam" })).status, 200);
  strictEqual((await eventOf(id, "account.suspended")).actor, "client:all");
  strictEqual((await act("POST", `/api/admin/users/${id}/unsuspend`, {})).status, 200);
  const role = await act("PUT", `/api/admin/users/${id}/role`, { role: "admin", reason: "x" });
  deepStrictEqual(await codeOf(role), [403, "SESSION_REQUIRED"]);
  const made = await act("POST", "/api/admin/clients", { client_name: "Mine", reason: "x" });
  deepStrictEqual(await codeOf(made), [403, "SESSION_REQUIRED"]);
  const now = await act("DELETE", `/api/admin/users/${id}`, { reason: "x", now: true });
  deepStrictEqual(await codeOf(now), [403, "SESSION_REQUIRED"]);
  strictEqual((await act("DELETE", `/api/admin/users/${id}`, { reason: "x" })).status, 202);
  const { id: last } = await registerVerifiedUser(app, newAddress());
  await db.updateTable("users").set({ role: "admin" }).where("id", "=", last).execute();
  await db.updateTable("users").set({ role: "user" }).where("id", "<>", last).execute();
  const suspend = await act("POST", `/api/admin/users/${last}/suspend`, { reason: "x" });
  deepStrictEqual(await codeOf(suspend), [409, "LAST_ADMIN"], "an app does not count as an admin");
});

Deno.test("an idempotency key belongs to one caller: an app, another one, and people each have their own", async () => {
  const key = { "Idempotency-Key": "the-same-key" };
  const email = newAddress();
  const [all, other] = [await headersOf("users:invite"), await headersOf("users:invite", "other")];
  const first = await (await invite(all, email, key)).json();
  const repeated = await invite(await headersOf("users:invite"), email, key);
  deepStrictEqual([repeated.status, repeated.headers.get("Idempotent-Replayed")], [201, "true"]);
  deepStrictEqual(await repeated.json(), first);
  deepStrictEqual(await codeOf(await invite(other, email, key)), [409, "EMAIL_TAKEN"]);
  const { client: person } = await registerVerifiedUser(app, newAddress());
  const { headers } = await createToken(person, { scopes: ["users:invite"] });
  deepStrictEqual(await codeOf(await invite(headers, email, key)), [409, "EMAIL_TAKEN"]);
  deepStrictEqual(await codeOf(await invite(all, newAddress(), key)), [422, "IDEMPOTENCY_KEY_REUSED"]);
});

Deno.test("an app that left the file or lost a scope is refused at its next request", async () => {
  const headers = await headersOf("users:read users:emails");
  const all = clients.get("all")!;
  const status = async () => await codeOf(await app.client().get("/api/users", headers));
  try {
    clients.set("all", { ...all, scopes: ["users:emails"] });
    deepStrictEqual(await status(), [403, "SCOPE_MISSING"]);
    clients.set("all", { ...all, grantTypes: ["authorization_code"] });
    deepStrictEqual(await status(), [401, "UNAUTHENTICATED"]);
    clients.delete("all");
    deepStrictEqual(await status(), [401, "UNAUTHENTICATED"]);
  } finally {
    clients.set("all", all);
  }
  deepStrictEqual(await status(), [200, undefined]);
});

Deno.test("an app that was made in the browser acts as itself until it is deleted, and never as an admin", async () => {
  const sent = (scope: string) => ({ client_name: "Made", grant_types: ["client_credentials"], scope });
  const fields = (scope: string) => MadeClientSchema.parse(sent(scope));
  const { client: admin, id: adminId } = await registerVerifiedUser(app, newAddress());
  await db.updateTable("users").set({ role: "admin" }).where("id", "=", adminId).execute();
  const refused = await admin.send("POST", "/api/admin/clients", { ...sent("admin"), reason: "x" });
  deepStrictEqual(await codeOf(refused), [400, "VALIDATION_FAILED"]);
  const managing = { ...sent("groups:read"), manages_groups: ["crew"], reason: "x" };
  const { details: onlyInFile } = await (await admin.send("POST", "/api/admin/clients", managing)).json();
  deepStrictEqual(onlyInFile, { manages_groups: ["Only CLIENTS_FILE may set this"] });
  const forPeople = { ...sent("groups:read"), grant_types: ["authorization_code"], reason: "x" };
  const { details } = await (await admin.send("POST", "/api/admin/clients", forPeople)).json();
  deepStrictEqual(details, { scope: ["Is only for apps with the grant type client_credentials: groups:read"] });
  const by = { by: COMMAND_LINE, reason: "x" };
  const { id, secret } = await makeClient(services, {
    fields: fields("users:read groups:read"),
    hasSecret: true,
    ...by,
  });
  const ask = () =>
    postForm(app, "/oauth/token", { grant_type: "client_credentials", client_id: id, client_secret: secret!.secret });
  const headers = { Authorization: `Bearer ${(await tokensIn(ask())).access_token}` };
  const status = async () => (await app.client().get("/api/admin/groups", headers)).status;
  strictEqual(await status(), 200);
  await deleteSecret(services, { id, n: secret!.n, ...by });
  strictEqual(await status(), 401, "it has no secret");
  strictEqual((await ask()).status, 401);
  const another = await makeClient(services, { fields: fields("users:read"), hasSecret: true, ...by });
  const token = await tokensIn(postForm(app, "/oauth/token", {
    grant_type: "client_credentials",
    client_id: another.id,
    client_secret: another.secret!.secret,
  }));
  const read = () => app.client().get("/api/users", { Authorization: `Bearer ${token.access_token}` });
  strictEqual((await read()).status, 200);
  await deleteClient(services, { id: another.id, ...by });
  strictEqual((await read()).status, 401);
});

Deno.test("requests count under the policy token for the app, and others for the app instead of a person", async () => {
  const file = await writeClientsFile([serviceApp("all", { scope: "users:read users:invite" })]);
  await using limited = await openTestApp({
    CLIENTS_FILE: file,
    LIMIT_TOKEN: "4/60",
    LIMIT_MAIL: "2/3600",
    PEOPLE: "members",
  });
  const headers = await headersOf("users:read users:invite", "all", limited);
  const listed = await limited.client().get("/api/users", headers);
  deepStrictEqual([listed.status, listed.headers.get("RateLimit")], [200, '"token";r=2;t=60']);
  strictEqual((await askAsService(limited, "all")).status, 200);
  strictEqual((await limited.client().get("/api/users", headers)).status, 200);
  strictEqual((await limited.client().get("/api/users", headers)).status, 429);
  limited.advance(60);
  const mails = async (n: number) =>
    (await limited.client().send("POST", "/api/users", { name: "Ada", email: `ada-${n}@example.com` }, headers)).status;
  deepStrictEqual([await mails(1), await mails(2), await mails(3)], [201, 201, 429], "from any address");
});

Deno.test("where only admins see people, an app sees them with users:emails or admin", async () => {
  const file = await writeClientsFile([serviceApp("all", { scope: "users:read users:emails admin" })]);
  await using closed = await openTestApp({ CLIENTS_FILE: file, PEOPLE: "off", BASE_URL });
  const status = async (scope: string) =>
    (await closed.client().get("/api/users", await headersOf(scope, "all", closed))).status;
  deepStrictEqual(
    [await status("users:read"), await status("users:read users:emails"), await status("users:read admin")],
    [404, 200, 200],
  );
});
