import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { COMMAND_LINE } from "../../lib/activity/events.ts";
import { ACCOUNT_ACTS, type AccountActName } from "../../lib/admin/acts.ts";
import { createClient } from "../../lib/admin/client_acts.ts";
import { removeUser } from "../../lib/admin/removal.ts";
import { suspendUser } from "../../lib/admin/suspension.ts";
import { saveGroup } from "../../lib/groups/group.ts";
import { setGroups } from "../../lib/groups/membership.ts";
import { MadeClientSchema } from "../../lib/clients/made_client_schema.ts";
import { createWebhook } from "../../lib/webhooks/webhook.ts";
import { handlersUnder } from "../support/api/route_handlers.ts";
import { registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { type CallerName, createCaller, registerAdmin } from "../support/app/admins.ts";
import { Page } from "../support/app/page_reader.ts";
import { DEMANDED, demandSecondFactor, enableTotp } from "../support/app/second_factor.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import { markupProblems } from "../support/browser/markup.ts";

const CLIENTS_FILE = decodeURIComponent(new URL("../fixtures/clients/clients.json", import.meta.url).pathname);
const app = await openSharedTestApp({ ...DEMANDED, LIMIT_LOGIN: "off", LIMIT_WRITE: "off", CLIENTS_FILE });
const { db } = app.services;
await registerAdmin(app, "always-an-admin@example.com");

const CALLERS = ["nobody", "user", "suspended admin", "admin without step-up", "admin"] as const satisfies CallerName[];
type Caller = typeof CALLERS[number];

/** A page, and what makes its form succeed. */
interface AdminPage {
  /** Returns the path of the page, about something of its own. */
  path(): Promise<string>;
  /** Whether the page asks who it is before it shows its form. */
  asksFirst?: boolean;
  /** Without them, the page has no form. */
  fields?: Record<string, string>;
}

const somebody = () => registerVerifiedUser(app, `${crypto.randomUUID()}@example.com`);
const at = (path: string) => () => Promise.resolve(path);

/** Prepares accounts so that an act has something to do. */
const PREPARE: Partial<Record<AccountActName, () => Promise<string>>> = {
  "resend-verification": async () => (await registerUser(app, `${crypto.randomUUID()}@example.com`)).id,
  "reset-factors": async () => {
    const { client, id } = await somebody();
    await enableTotp(app, client);
    return id;
  },
  "extend-second-factor": async () => {
    const { id } = await somebody();
    await demandSecondFactor(app, id);
    return id;
  },
  "unsuspend": async () => {
    const { id } = await somebody();
    await suspendUser(app.services, { who: id, by: COMMAND_LINE, reason: "spam" });
    return id;
  },
  "keep": async () => {
    const { id } = await somebody();
    await removeUser(app.services, { who: id, by: COMMAND_LINE, reason: "spam", now: false });
    return id;
  },
  "demote": async () => (await registerAdmin(app)).id,
  "clear-limits": async () => {
    const { id } = await somebody();
    const window_ends_at = new Date(app.services.now().getTime() + 60_000);
    await db.insertInto("rate_limits").values({ policy: "proof", client: `user:${id}`, requests: 1, window_ends_at })
      .execute();
    return id;
  },
};

const ACT_PAGES = Object.fromEntries(
  (Object.keys(ACCOUNT_ACTS) as AccountActName[]).map((name): [string, AdminPage] => [`/admin/users/{id}/${name}`, {
    asksFirst: true,
    fields: { reason: "ticket 7" },
    path: async () => `/admin/users/${await PREPARE[name]?.() ?? (await somebody()).id}/${name}`,
  }]),
);

async function webhookPath(): Promise<string> {
  await db.deleteFrom("webhooks").execute(); // there can be only 20
  const webhook = { url: "https://hooks.example.com/", kinds: ["login.failed" as const], by: COMMAND_LINE };
  return `/admin/webhooks/${(await createWebhook(app.services, webhook)).webhook.id}`;
}

/** Creates a group with someone in it. Returns the path of a page about both. */
async function membershipPath(pathOf: (group: string, id: string) => string): Promise<string> {
  const [name, { id: userId }] = [`group-${crypto.randomUUID().slice(0, 8)}`, await somebody()];
  await saveGroup(app.services, { name, title: "Some people", by: COMMAND_LINE });
  await setGroups(app.services, { userId, groups: [name], by: COMMAND_LINE, reason: "moved" });
  return pathOf(name, userId);
}

const PAGES: Record<string, AdminPage> = {
  "/admin": { path: at("/admin") },
  "/admin/users": { path: at("/admin/users") },
  "/admin/users/{id}": { path: async () => `/admin/users/${(await somebody()).id}` },
  ...ACT_PAGES,
  "/admin/users/{id}/groups": {
    asksFirst: true,
    fields: { reason: "A new team", groups: "" },
    path: () => membershipPath((_, id) => `/admin/users/${id}/groups`),
  },
  "/admin/groups": { fields: { groupName: "staff", groupTitle: "Staff" }, path: at("/admin/groups") },
  "/admin/groups/{name}": {
    fields: { who: "always-an-admin@example.com", reason: "A new team" },
    path: () => membershipPath((group) => `/admin/groups/${group}`),
  },
  "/admin/groups/{name}/delete": {
    asksFirst: true,
    fields: { reason: "" },
    path: () => membershipPath((group) => `/admin/groups/${group}/delete`),
  },
  "/admin/groups/{name}/people/{id}": {
    asksFirst: true,
    fields: { reason: "A new team" },
    path: () => membershipPath((group, id) => `/admin/groups/${group}/people/${id}`),
  },
  "/admin/emails": { path: at("/admin/emails") },
  "/admin/emails/{id}/retry": {
    asksFirst: true,
    fields: { reason: "" },
    path: async () => {
      const { client, email, id } = await somebody();
      await client.send("POST", "/auth/forgot-password", { email });
      const mail = await db.selectFrom("outbox").select("id").where("user_id", "=", id).where("status", "=", "pending")
        .executeTakeFirstOrThrow();
      return `/admin/emails/${mail.id}/retry`;
    },
  },
  "/admin/setup": { path: at("/admin/setup") },
  "/admin/events": { path: at("/admin/events") },
  "/admin/webhooks": { path: at("/admin/webhooks") },
  "/admin/webhooks/new": {
    asksFirst: true,
    fields: { url: "https://hooks.example.com/", "login.failed": "on" },
    path: async () => {
      await db.deleteFrom("webhooks").execute();
      return "/admin/webhooks/new";
    },
  },
  "/admin/apps": { path: at("/admin/apps") },
  "/admin/apps/new": {
    asksFirst: true,
    fields: { client_name: "Wiki", kind: "confidential", reason: "a new wiki" },
    path: at("/admin/apps/new"),
  },
  "/admin/apps/{client}": { fields: { reason: "A leak" }, path: at("/admin/apps/wiki") },
  "/admin/apps/{client}/logo": {
    asksFirst: true,
    fields: { action: "remove", reason: "it is old" },
    path: async () => {
      const logo = { client_id: "wiki", image: "", version: "" };
      await db.insertInto("client_logos").values(logo).onConflict((conflict) => conflict.doNothing()).execute();
      return "/admin/apps/wiki/logo";
    },
  },
  "/admin/apps/{client}/edit": {
    asksFirst: true,
    fields: { client_name: "Team wiki", reason: "its name" },
    path: async () => {
      const fields = MadeClientSchema.parse({ client_name: "Wiki" });
      const { id } = await createClient(app.services, { fields, by: COMMAND_LINE, reason: "a test" });
      return `/admin/apps/${id}/edit`;
    },
  },
  "/admin/webhooks/{id}": { fields: { action: "test" }, path: webhookPath },
};

/** What each caller sees. */
function seen(caller: Caller, { asksFirst }: AdminPage): string {
  if (caller === "nobody" || caller === "suspended admin") return "303 /login";
  if (caller === "user") return "404";
  return caller === "admin without step-up" && asksFirst ? "303 /reauthenticate" : "200";
}

/** What each caller gets who sends the form. */
function sent(caller: Caller): string {
  // The form comes back with what was entered, and a link to the login.
  if (caller === "nobody" || caller === "suspended admin") return "401";
  if (caller === "user") return "404";
  return caller === "admin" ? "303" : "403";
}

function resultOf(response: Response): string {
  const path = response.headers.get("Location")?.split("?")[0];
  return path === "/login" || path === "/reauthenticate" ? `${response.status} ${path}` : String(response.status);
}

for (const [name, page] of Object.entries(PAGES)) {
  for (const caller of CALLERS) {
    Deno.test(`${name} as ${caller}: ${seen(caller, page)}${page.fields ? `, form ${sent(caller)}` : ""}`, async () => {
      const { client, id: callerId } = await createCaller(app, caller);
      const path = await page.path();
      const response = await client.get(path);
      const html = await response.text();
      strictEqual(resultOf(response), seen(caller, page));
      if (response.status === 200) deepStrictEqual(await markupProblems(html), []);
      if (page.fields === undefined) return;
      const before = await countEvents(callerId);
      const form = await client.submit(path, page.fields);
      const text = await form.text();
      strictEqual(resultOf(form), sent(caller), text);
      if (form.status === 403) {
        ok(new Page(text).fieldNames.includes("proof_password"));
        for (const value of Object.values(page.fields)) ok(value === "on" || text.includes(value), "nothing is lost");
      }
      strictEqual(await countEvents(callerId) > before, form.status === 303);
    });
  }
}

/** Counts the events that someone has caused in the accounts of others. */
async function countEvents(actorId: string | undefined): Promise<number> {
  if (actorId === undefined) return 0;
  const rows = await db.selectFrom("events").select("id").where("actor_id", "=", actorId)
    .where((eb) =>
      eb.or([eb("user_id", "is distinct from", actorId), eb("kind", "in", ["webhook.changed", "group.changed"])])
    ).execute();
  return rows.length;
}

Deno.test("the table has every page under /admin", async () => {
  const routes = new Set((await handlersUnder("routes/admin")).map(({ key }) => key.split(" ")[1]));
  const named = Object.keys(PAGES).map((path) => path in ACT_PAGES ? "/admin/users/{id}/{act}" : path);
  deepStrictEqual([...new Set(named)].sort(), [...routes].sort());
});

Deno.test("an act that there is not, and an account that there is not, are 404", async () => {
  const { client } = await createCaller(app, "admin");
  const { id } = await somebody();
  for (const path of [`/admin/users/${id}/hide`, `/admin/users/${id}/constructor`]) {
    strictEqual((await client.get(path)).status, 404, path);
    strictEqual((await client.submit(path, {})).status, 404, path);
  }
  strictEqual((await client.get(`/admin/users/${crypto.randomUUID()}`)).status, 404);
  strictEqual((await client.submit(`/admin/users/${crypto.randomUUID()}/suspend`, { reason: "x" })).status, 404);
});
