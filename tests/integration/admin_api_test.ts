import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { ENTRIES } from "../support/api/entries.ts";
import { isForAdmins } from "../../lib/api/entry.ts";
import { createClient } from "../../lib/admin/client_acts.ts";
import { MadeClientSchema } from "../../lib/clients/made_client_schema.ts";
import { COMMAND_LINE } from "../../lib/activity/events.ts";
import { sendTest } from "../../lib/webhooks/delivery_list.ts";
import { saveGroup } from "../../lib/groups/group.ts";
import { createWebhook } from "../../lib/webhooks/webhook.ts";
import { handlersUnder } from "../support/api/route_handlers.ts";
import { mailedToken, type Registered, registerVerifiedUser } from "../support/app/accounts.ts";
import { type AdminCaller, type CallerName, CALLERS, createCaller, registerAdmin } from "../support/app/admins.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import { uploaderOf } from "../support/uploads/upload_world.ts";

const CLIENTS_FILE = decodeURIComponent(new URL("../fixtures/clients/clients.json", import.meta.url).pathname);
const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0", CLIENTS_FILE });
const { services } = app;
const { db } = services;
await registerAdmin(app, "always-an-admin@example.com");

/** How a route treats programs and old proofs. */
type Kind = "read" | "act" | "session act" | "session read";

/** A request that succeeds for an admin. */
interface AdminRequest {
  kind: Kind;
  status: number;
  body?: Record<string, unknown>;
  /** Returns the path of the request. */
  path(): Promise<string>;
}

const onPerson = (rest = "") => async () => `/api/admin/users/${(await somebody()).id}${rest}`;

/** A request for a new webhook. */
function onWebhook(rest = ""): () => Promise<string> {
  return async () => {
    await db.deleteFrom("webhooks").execute();
    const webhook = { url: "https://hooks.example.com/", kinds: ["login.failed" as const], by: COMMAND_LINE };
    const { webhook: { id } } = await createWebhook(app.services, webhook);
    return `/api/admin/webhooks/${id}${rest}`;
  };
}

/** A request for a new group. */
function onGroup(rest = ""): () => Promise<string> {
  return async () => {
    await saveGroup(app.services, { name: "wiki", title: "Wiki", by: COMMAND_LINE });
    return `/api/admin/groups/wiki${rest}`;
  };
}

/** A request for a new app, which has a secret if the path ends with its number. */
function onApp(rest = ""): () => Promise<string> {
  return async () => {
    const fields = MadeClientSchema.parse({ client_name: "Wiki" });
    const app = { fields, hasSecret: rest.endsWith("1"), by: COMMAND_LINE, reason: "a test" };
    return `/api/admin/clients/${(await createClient(services, app)).id}${rest}`;
  };
}

/** A request for each route. */
const REQUESTS: Record<string, AdminRequest> = {
  "GET /api/admin/users": { kind: "read", status: 200, path: () => Promise.resolve("/api/admin/users?limit=2") },
  "GET /api/admin/users/{id}": { kind: "read", status: 200, path: onPerson() },
  "POST /api/admin/users/{id}/suspend": {
    kind: "act",
    status: 200,
    body: { reason: "spam" },
    path: onPerson("/suspend"),
  },
  "POST /api/admin/users/{id}/unsuspend": { kind: "act", status: 200, path: onPerson("/unsuspend") },
  "POST /api/admin/users/{id}/restore": {
    kind: "act",
    status: 200,
    body: { reason: "wrong person" },
    path: onPerson("/restore"),
  },
  "POST /api/admin/users/{id}/end-sessions": { kind: "act", status: 200, path: onPerson("/end-sessions") },
  "POST /api/admin/users/{id}/send-reset": { kind: "act", status: 200, path: onPerson("/send-reset") },
  "POST /api/admin/users/{id}/resend-verification": {
    kind: "act",
    status: 200,
    path: onPerson("/resend-verification"),
  },
  "POST /api/admin/users/{id}/reset-factors": {
    kind: "session act",
    status: 200,
    body: { reason: "lost" },
    path: onPerson("/reset-factors"),
  },
  "POST /api/admin/users/{id}/extend-second-factor": {
    kind: "session act",
    status: 200,
    body: { reason: "no mailbox" },
    path: onPerson("/extend-second-factor"),
  },
  "DELETE /api/admin/users/{id}": { kind: "act", status: 202, body: { reason: "asked" }, path: onPerson() },
  "PUT /api/admin/users/{id}/role": {
    kind: "session act",
    status: 200,
    body: { role: "admin" },
    path: onPerson("/role"),
  },
  "PUT /api/admin/users/{id}/groups": {
    kind: "session act",
    status: 200,
    body: { groups: [], reason: "moved" },
    path: onPerson("/groups"),
  },
  "GET /api/admin/groups": { kind: "read", status: 200, path: () => Promise.resolve("/api/admin/groups") },
  "PUT /api/admin/groups/{name}": {
    kind: "act",
    status: 200,
    body: { title: "Staff" },
    path: () => Promise.resolve("/api/admin/groups/staff"),
  },
  "DELETE /api/admin/groups/{name}": { kind: "act", status: 204, path: onGroup() },
  "GET /api/admin/groups/{name}/members": { kind: "read", status: 200, path: onGroup("/members") },
  "POST /api/admin/uploads/{id}/link": {
    kind: "session act",
    status: 200,
    body: { reason: "a report" },
    path: async () => {
      const { id } = await uploaderOf(app, await somebody()).store("hello", "private");
      return `/api/admin/uploads/${id}/link`;
    },
  },
  "GET /api/admin/mails": { kind: "read", status: 200, path: () => Promise.resolve("/api/admin/mails?limit=2") },
  "POST /api/admin/mails/{id}/retry": {
    kind: "act",
    status: 200,
    path: async () => `/api/admin/mails/${await waitingMailOf(await somebody())}/retry`,
  },
  "GET /api/admin/events": { kind: "read", status: 200, path: () => Promise.resolve("/api/admin/events?limit=2") },
  "GET /api/admin/clients": { kind: "read", status: 200, path: () => Promise.resolve("/api/admin/clients") },
  "POST /api/admin/clients/{client}/end-grants": {
    kind: "act",
    status: 200,
    body: { reason: "a leak" },
    path: () => Promise.resolve("/api/admin/clients/wiki/end-grants"),
  },
  "POST /api/admin/clients": {
    kind: "session act",
    status: 201,
    body: { client_name: "Wiki", reason: "a new wiki" },
    path: () => Promise.resolve("/api/admin/clients"),
  },
  "PUT /api/admin/clients/{client}": {
    kind: "session act",
    status: 200,
    body: { client_name: "Team wiki", reason: "its name" },
    path: onApp(),
  },
  "DELETE /api/admin/clients/{client}": { kind: "session act", status: 204, body: { reason: "gone" }, path: onApp() },
  "POST /api/admin/clients/{client}/secrets": {
    kind: "session act",
    status: 201,
    body: { reason: "a server" },
    path: onApp("/secrets"),
  },
  "DELETE /api/admin/clients/{client}/secrets/{n}": {
    kind: "session act",
    status: 204,
    body: { reason: "a leak" },
    path: onApp("/secrets/1"),
  },
  "GET /api/admin/webhooks": { kind: "session read", status: 200, path: () => Promise.resolve("/api/admin/webhooks") },
  "POST /api/admin/webhooks": {
    kind: "session act",
    status: 201,
    body: { url: "https://hooks.example.com/", kinds: ["login.failed"] },
    path: async () => {
      await db.deleteFrom("webhooks").execute(); // there can be only 20
      return "/api/admin/webhooks";
    },
  },
  "DELETE /api/admin/webhooks/{id}": { kind: "session act", status: 204, path: onWebhook() },
  "POST /api/admin/webhooks/{id}/rotate": { kind: "session act", status: 200, path: onWebhook("/rotate") },
  "GET /api/admin/webhooks/{id}/deliveries": { kind: "session read", status: 200, path: onWebhook("/deliveries") },
  "POST /api/admin/webhooks/{id}/deliveries/{delivery}/replay": {
    kind: "session act",
    status: 200,
    path: async () => {
      const path = await onWebhook("/deliveries")();
      const webhookId = path.split("/")[4];
      await sendTest(app.services, { id: webhookId, by: COMMAND_LINE });
      const { id } = await db.selectFrom("webhook_deliveries").select("id").where("webhook_id", "=", webhookId)
        .executeTakeFirstOrThrow();
      return `${path}/${id}/replay`;
    },
  },
};

/** Returns the id of an email that waits. */
async function waitingMailOf({ client, id, email }: Registered): Promise<string> {
  await client.send("POST", "/auth/forgot-password", { email });
  const mail = await db.selectFrom("outbox").select("id").where("user_id", "=", id).where("status", "=", "pending")
    .executeTakeFirstOrThrow();
  return mail.id;
}

const NOTHING = "404 NOT_FOUND";

/** What each caller gets. */
function expected(caller: CallerName, { kind, status }: AdminRequest): string {
  const isForSessions = kind === "session act" || kind === "session read";
  const isAct = kind === "act" || kind === "session act";
  switch (caller) {
    case "nobody":
    case "user":
    case "program of a user":
    case "suspended admin":
      return NOTHING;
    case "token without scope":
      return "403 SCOPE_MISSING";
    case "token with scope":
      return isForSessions ? "403 SESSION_REQUIRED" : String(status);
    case "admin without step-up":
      return isAct ? "403 REAUTHENTICATION_REQUIRED" : String(status);
    case "admin":
      return String(status);
  }
}

function somebody() {
  return registerVerifiedUser(app, `${crypto.randomUUID()}@example.com`);
}

async function send({ client, headers }: AdminCaller, key: string, { path, body }: AdminRequest): Promise<string> {
  const [method] = key.split(" ");
  const response = await client.request(await path(), {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const { code } = response.headers.get("Content-Type") === "application/json" ? JSON.parse(text) : {};
  return response.ok ? String(response.status) : `${response.status} ${code}`;
}

for (const [key, request] of Object.entries(REQUESTS)) {
  for (const name of CALLERS) {
    Deno.test(`${key} as ${name}: ${expected(name, request)}`, async () => {
      strictEqual(await send(await createCaller(app, name), key, request), expected(name, request));
    });
  }
}

Deno.test("no API token deletes at once, and a session does", async () => {
  const request = { ...REQUESTS["DELETE /api/admin/users/{id}"], body: { reason: "asked", now: true } };
  const token = await createCaller(app, "token with scope");
  strictEqual(await send(token, "DELETE /api/admin/users/{id}", request), "403 SESSION_REQUIRED");
  const admin = await createCaller(app, "admin");
  strictEqual(await send(admin, "DELETE /api/admin/users/{id}", request), "204");
});

Deno.test("the table has every route under /api/admin, and every route for admins is there", async () => {
  const routes = (await handlersUnder("routes/api/admin")).map(({ key }) => key);
  deepStrictEqual(Object.keys(REQUESTS).sort(), routes.sort());
  const entries = Object.entries(ENTRIES).filter(([, entry]) => isForAdmins(entry)).map(([key]) => key);
  deepStrictEqual(entries.sort(), routes.sort());
});

Deno.test("for all others, every method and body gets the same response as a path without a route", async () => {
  const outsiders = ["nobody", "user", "program of a user", "suspended admin"] as const;
  const paths = Object.keys(REQUESTS).map((key) => key.split(" ")[1].replaceAll(/\{\w+\}/g, crypto.randomUUID()));
  for (const name of outsiders) {
    const { client, headers } = await createCaller(app, name);
    const responseOf = async (path: string, method: string, body?: string) => {
      const response = await client.request(path, { method, headers, body });
      const facts = [...response.headers].filter(([header]) => !["date", "x-request-id"].includes(header));
      return { status: response.status, facts: facts.sort(), text: await response.text() };
    };
    for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"]) {
      const body = ["POST", "PUT", "PATCH"].includes(method) ? "no JSON" : undefined;
      const nothing = await responseOf("/api/nothing", method, body);
      strictEqual(nothing.status, 404, method);
      for (const path of ["/api/admin", "/api/admin/nothing", ...new Set(paths)]) {
        deepStrictEqual(await responseOf(path, method, body), nothing, `${name} ${method} ${path}`);
      }
    }
  }
});

Deno.test("a closing admin is no admin, and gets what they get everywhere else", async () => {
  const { client, id } = await registerAdmin(app);
  await db.updateTable("users").set({ deletion_due_at: app.services.now() }).where("id", "=", id).execute();
  for (const path of ["/api/nothing", "/api/admin/nothing", "/api/admin/users"]) {
    const response = await client.get(path);
    deepStrictEqual([response.status, (await response.json()).code], [403, "ACCOUNT_CLOSING"], path);
  }
});

Deno.test("a demoted admin gets 404 at once, and so does their token", async () => {
  const admin = await createCaller(app, "token with scope");
  const request = REQUESTS["GET /api/admin/users"];
  strictEqual(await send(admin, "GET /api/admin/users", request), "200");
  await db.updateTable("users").set({ role: "user" }).where("id", "=", admin.id!).execute();
  strictEqual(await send(admin, "GET /api/admin/users", request), NOTHING);
});

Deno.test("HEAD and other methods exist for admins", async () => {
  const { client } = await createCaller(app, "admin");
  strictEqual((await client.request("/api/admin/users", { method: "HEAD" })).status, 200);
  const response = await client.request("/api/admin/users", { method: "PATCH" });
  deepStrictEqual([response.status, response.headers.get("Allow")], [405, "GET, HEAD, OPTIONS"]);
});

Deno.test("one account is shown with all that an admin needs, and without secrets", async () => {
  const { client } = await createCaller(app, "admin");
  const person = await somebody();
  await person.client.send("POST", "/api/tokens", { name: "Script", scopes: ["profile:read"] });
  await person.client.send("POST", "/auth/forgot-password", { email: person.email });
  const token = await mailedToken(app, person.email);
  const text = await (await client.get(`/api/admin/users/${person.id}`)).text();
  const { data } = JSON.parse(text);
  deepStrictEqual(
    [
      data.email,
      data.status,
      data.hasPassword,
      data.factors,
      data.sessions.length,
      data.tokens.length,
      data.identities,
    ],
    [person.email, "active", true, { totp: false, recoveryCodesLeft: 0, passkeys: 0 }, 1, 1, []],
  );
  deepStrictEqual(data.sessions[0].current, false);
  deepStrictEqual(data.storage.usedBytes, 0);
  const reset = data.mails.find(({ kind }: { kind: string }) => kind === "reset");
  deepStrictEqual([reset.status, reset.sentAt, reset.user.id], [
    "sent",
    Math.floor(app.services.now().getTime() / 1000),
    person.id,
  ]);
  const [{ kind, actor, user }] = data.events;
  deepStrictEqual([kind, actor.id, user.id], ["token.made", person.id, person.id]);
  for (const secret of [token, person.client.cookies.get("auth_session")!, "$", "hash", "payload"]) {
    strictEqual(text.includes(secret), false, secret);
  }
  strictEqual((await client.get(`/api/admin/users/${crypto.randomUUID()}`)).status, 404);
});
