import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { v7 } from "uuid";
import { EVENT_KINDS } from "../../lib/activity/kinds.ts";
import { readOverview } from "../../lib/admin/overview.ts";
import { DAY_SECONDS, MINUTE_SECONDS, SECOND_MS } from "../../lib/duration.ts";
import { type Page, readPage } from "../support/app/page_reader.ts";
import { logIn, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { createCaller, registerAdmin } from "../support/app/admins.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import { createToken } from "../support/app/api_tokens.ts";
import { createWebhook } from "../../lib/webhooks/webhook.ts";
import { COMMAND_LINE } from "../../lib/activity/events.ts";
import { waitFor } from "../support/wait_for.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0", LIMIT_PROOF: "500/900", LIMIT_GUESS: "500/900" });
const { db } = app.services;
Deno.test.beforeEach(async () => {
  await app.database.empty();
  await registerAdmin(app, "always-an-admin@example.com", "Always");
});

/** The visible text of a page. */
async function textOf(response: Response): Promise<string> {
  strictEqual(response.status, 200);
  return (await readPage(response)).text;
}

Deno.test("the overview counts accounts, logins, emails and files, and shows alerts", async () => {
  const { client } = await registerAdmin(app);
  const person = await registerVerifiedUser(app, "ann@example.com", "Ann Smith");
  await createToken(person.client);
  await db.updateTable("users").set({ suspended_at: app.services.now() }).where("id", "=", person.id).execute();
  await logIn(app.client(), person.email, "Wrong-horse-77");
  await app.client().send("POST", "/auth/forgot-password", { email: "always-an-admin@example.com" });
  const { accounts, logins, emails, storage, alerts } = await readOverview(app.services);
  const numberOf = ([name, { number, precision }]: [string, { number: number; precision: string }]) => {
    strictEqual(precision, "exact");
    return [name, number];
  };
  deepStrictEqual(Object.fromEntries(Object.entries(accounts).map(numberOf)), {
    all: 3,
    newThisWeek: 3,
    unverified: 0,
    suspended: 1,
    closing: 0,
    admins: 2,
  });
  deepStrictEqual([logins.day.number, logins.week.number, logins.failedDay.number], [3, 3, 1]);
  ok(emails.waiting.number >= 1);
  ok(emails.oldestWaiting !== null);
  strictEqual(storage.number, 0);
  deepStrictEqual(alerts.map(({ kind, user }) => [kind, user?.email]), [["token_created", "ann@example.com"]]);
  const text = await textOf(await client.get("/admin"));
  match(text, /Accounts All 3 /);
  match(text, /Failed in the last 24 hours 1 /);
  match(text, /ann@example\.com New API token/);
});

Deno.test("the overview begins with what needs someone", async () => {
  const { client } = await registerAdmin(app);
  const needs = async () => (await readPage(client.get("/admin"))).textsAt("main > .rows .event");
  const text = await textOf(await client.get("/admin"));
  match(text, /^Overview Needs you Nothing needs you now\./);
  await app.client().send("POST", "/auth/forgot-password", { email: "always-an-admin@example.com" });
  deepStrictEqual(await needs(), []);
  app.advance(15 * MINUTE_SECONDS + 1);
  deepStrictEqual(await needs(), ["1 email waits, for more than 15 minutes"]);
  await db.updateTable("outbox").set({ status: "failed" }).where("status", "=", "pending").execute();
  const webhook = { url: "https://hooks.example.com/", kinds: ["login.failed" as const], by: COMMAND_LINE };
  const { webhook: { id } } = await createWebhook(app.services, webhook);
  await createWebhook(app.services, webhook);
  await db.updateTable("webhooks").set({ failing_since: app.services.now() }).where("id", "=", id).execute();
  const failed = Array.from({ length: 100 }, (_, index) => ({
    id: v7({ msecs: app.services.now().getTime() - index }),
    kind: "login.failed" as const,
    created_at: app.services.now(),
    user_id: null,
  }));
  await db.insertInto("events").values(failed as never).execute();
  deepStrictEqual(await needs(), [
    "1 email failed in the last 30 days",
    "1 webhook fails",
    "100 logins failed in the last 24 hours, more than succeeded",
  ]);
  await db.deleteFrom("events").where("id", "=", failed[0].id).execute();
  deepStrictEqual((await needs()).length, 2, "99 are not many");
});

Deno.test("logins are counted by day, as far back as the count reaches", async () => {
  const now = app.services.now();
  const at = (days: number, count: number) =>
    Array.from({ length: count }, (_, index) => ({
      id: v7({ msecs: now.getTime() - days * DAY_SECONDS * SECOND_MS + index + 1 }),
      kind: "session.started" as const,
      created_at: now,
      user_id: null,
    }));
  await db.deleteFrom("events").execute();
  await db.insertInto("events").values([...at(1, 3), ...at(2, 1), ...at(14, 2), ...at(15, 5)] as never).execute();
  const days = async () => (await readOverview(app.services)).loginsByDay;
  deepStrictEqual(await days(), [2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3]);
  for (let more = 0; more < 10; more++) await db.insertInto("events").values(at(3, 1000) as never).execute();
  deepStrictEqual(await days(), [1, 3], "the third day has more than were read");
});

Deno.test("the list of accounts is searched, filtered and paged", async () => {
  const { client } = await registerAdmin(app);
  const person = await registerVerifiedUser(app, "ann@example.com", "Ann Smith");
  await registerVerifiedUser(app, "bob@example.com", "Bob");
  await db.updateTable("users").set({ suspended_at: app.services.now() }).where("id", "=", person.id).execute();
  const all = await textOf(await client.get("/admin/users?query=&status="));
  match(all, /Ann Smith ann@example\.com Suspended/);
  match(all, /Bob bob@example/);
  const found = await textOf(await client.get("/admin/users?query=smi+ann&status=suspended"));
  ok(found.includes("ann@example.com") && !found.includes("bob@example.com"));
  match(await textOf(await client.get("/admin/users?query=nobody")), /No accounts found/);
  strictEqual((await client.get("/admin/users?status=angry")).status, 400);
  const rows = await db.selectFrom("users").select(["password_hash"]).where("id", "=", person.id).execute();
  const copies = Array.from({ length: 60 }, (_, index) => ({
    id: `01890000-0000-7000-8000-0000000000${String(index).padStart(2, "0")}`,
    name: `Copy ${index}`,
    email: `copy${index}@example.com`,
    password_hash: rows[0].password_hash,
    created_at: app.services.now(),
    updated_at: app.services.now(),
  }));
  await db.insertInto("users").values(copies as never).execute();
  const first = await readPage(client.get("/admin/users?query=copy"));
  const next = first.find('[rel="next"]').getAttribute("href")!;
  match(next, /^\/admin\/users\?query=copy&cursor=/);
  const second = await textOf(await client.get(next));
  match(second, /Copy 9[\s\S]*Copy 0[\s\S]*First page/);
  ok(!second.includes("Next page"));
});

Deno.test("the tabs above the accounts say how many each has, and a search stays in its tab", async () => {
  const { client } = await registerAdmin(app);
  const person = await registerVerifiedUser(app, "ann@example.com", "Ann Smith");
  await registerUser(app, "new@example.com", "Ann New");
  await db.updateTable("users").set({ suspended_at: app.services.now() }).where("id", "=", person.id).execute();
  const tabsOf = (page: Page) => page.textsAt(".tabs a");
  const all = await readPage(client.get("/admin/users"));
  deepStrictEqual(tabsOf(all), [
    "All 4",
    "Not confirmed 1",
    "Suspended 1",
    "Being deleted 0",
    "Admins 2",
    "Without a second factor 4",
  ]);
  strictEqual(all.textAt('.tabs [aria-current="page"]'), "All 4");
  const admins = await readPage(client.get(all.link("Admins 2").href!));
  strictEqual(admins.textAt('.tabs [aria-current="page"]'), "Admins 2");
  deepStrictEqual(admins.textsAt("tbody .person-name").sort(), ["Always", "Grace Hopper"]);
  deepStrictEqual(admins.forms[0].hidden, { role: "admin" });
  const found = await readPage(client.get("/admin/users?query=ann&status=suspended"));
  deepStrictEqual([found.textsAt("tbody .person-name"), found.forms[0].hidden], [["Ann Smith"], {
    status: "suspended",
  }]);
  deepStrictEqual((await readPage(client.get("/admin/users?query=ann&role=admin"))).textsAt("tbody .person-name"), []);
});

Deno.test("the tabs count only to 999, so that they are as fast among many accounts", async () => {
  const { client } = await registerAdmin(app);
  const at = app.services.now();
  const many = Array.from({ length: 1000 }, (_, index) => ({
    id: v7({ msecs: at.getTime() - index }),
    name: `Person ${index}`,
    email: `many-${index}@example.com`,
    password_hash: null,
    idp_id: null,
    avatar: null,
    created_at: at,
    updated_at: at,
  }));
  await db.insertInto("users").values(many).execute();
  const tabs = async () => (await readPage(client.get("/admin/users"))).textsAt(".tabs a").slice(0, 2);
  deepStrictEqual(await tabs(), ["All 999+", "Not confirmed 999+"]);
  await db.deleteFrom("users").where("id", "=", many[0].id).execute();
  deepStrictEqual(await tabs(), ["All 999+", "Not confirmed 999"]);
});

Deno.test("the window of each page says that it belongs to the administration", async () => {
  const { client } = await registerAdmin(app);
  const person = await registerVerifiedUser(app, "ann@example.com", "Ann Smith");
  const titles = {
    "/admin": "Overview",
    "/admin/users": "Accounts",
    [`/admin/users/${person.id}`]: "Ann Smith",
    [`/admin/users/${person.id}/suspend`]: "Suspend this account?",
  };
  for (const [path, title] of Object.entries(titles)) {
    const page = await readPage(client.get(path));
    strictEqual(page.title, `${title} · Administration · Foyer`);
    strictEqual(page.textAt(".settings > .side-navigation p"), "Administration");
  }
  const refused = await readPage(client.submit(`/admin/users/${person.id}/suspend`, { reason: "" }));
  strictEqual(refused.title, "Error: Suspend this account? · Administration · Foyer");
});

Deno.test("only admins see the way to the administration", async () => {
  const [admin, user] = [await createCaller(app, "admin"), await createCaller(app, "user")];
  ok((await readPage(admin.client.get("/dashboard"))).leadsTo("/admin"));
  ok(!(await readPage(user.client.get("/dashboard"))).leadsTo("/admin"));
});

Deno.test("emails are listed by status, and a waiting one is sent now, with a reason", async () => {
  const { client, id: adminId } = await registerAdmin(app);
  const person = await registerVerifiedUser(app, "ann@example.com", "Ann Smith");
  await person.client.send("POST", "/auth/forgot-password", { email: person.email });
  const { id } = await db.selectFrom("outbox").select("id").where("user_id", "=", person.id)
    .where("status", "=", "pending").executeTakeFirstOrThrow();
  const list = await readPage(client.get("/admin/emails?status=waiting"));
  ok(list.leadsTo(`/admin/emails/${id}/retry`));
  match(list.text, /ann@example\.com Reset your Foyer password/);
  deepStrictEqual(list.textsAt(".tabs a"), ["Waiting 1", "Failed 0", "Sent", "All"]);
  strictEqual(list.textAt('.tabs [aria-current="page"]'), "Waiting 1");
  ok(!(await textOf(await client.get("/admin/emails?status=failed"))).includes("Reset your"));
  const path = `/admin/emails/${id}/retry`;
  match(await textOf(await client.get(path)), /Send this email now\?[\s\S]*ann@example\.com Reset/);
  strictEqual((await client.submit(path, { reason: "x".repeat(501) })).status, 400);
  const sent = await client.submit(path, { reason: "ticket 7" });
  deepStrictEqual([sent.status, sent.headers.get("Location")], [303, "/admin/emails"]);
  const event = await db.selectFrom("events").select(["actor_id", "user_id", "details"])
    .where("kind", "=", "email.requested").executeTakeFirstOrThrow();
  deepStrictEqual(event, { actor_id: adminId, user_id: person.id, details: { mail: "reset", reason: "ticket 7" } });
  await app.deliverMails();
  match(await (await client.submit(path, { reason: "" })).text(), /Its content is gone/);
  strictEqual((await client.get(`/admin/emails/${crypto.randomUUID()}/retry`)).status, 404);
});

Deno.test("events are filtered by kind, account and actor, and say who and why", async () => {
  const { client, email } = await registerAdmin(app);
  const person = await registerVerifiedUser(app, "ann@example.com", "Ann Smith");
  await client.send("POST", `/api/admin/users/${person.id}/suspend`, { reason: "report 17" });
  const all = await textOf(await client.get("/admin/events?kind=&who=&period="));
  match(all, /Account suspended account\.suspended Reason: report 17 Ann Smith Grace Hopper/);
  const mine = await textOf(
    await client.get(`/admin/events?kind=account.suspended&who=${encodeURIComponent(email)}`),
  );
  match(mine, /Account suspended account\.suspended/);
  const hers = await textOf(await client.get("/admin/events?who=ann%40example.com&kind=session.started"));
  ok(!hers.includes("report 17"));
  ok((await textOf(await client.get("/admin/events?who=ann%40example.com"))).includes("report 17"));
  ok(!(await textOf(await client.get("/admin/events?who=always-an-admin%40example.com"))).includes("report 17"));
  match(await textOf(await client.get("/admin/events?who=nobody%40example.com")), /There is no such account/);
  match(await textOf(await client.get("/admin/events?who=command+line")), /No events/);
  strictEqual((await client.get("/admin/events?kind=nothing")).status, 400);
});

Deno.test("the events about someone and by them are one list, newest first, page by page", async () => {
  const { client, id } = await registerAdmin(app);
  const person = await registerVerifiedUser(app, "ann@example.com", "Ann Smith");
  const others = { user: person.id, actor: id };
  await db.deleteFrom("events").execute();
  const about = ["admin", "ann", "both"].flatMap((who) => Array.from({ length: 20 }, () => who));
  const rows = about.map((who, index) => ({
    id: v7({ msecs: app.services.now().getTime() + index }),
    kind: "account.kept" as const,
    created_at: app.services.now(),
    // Of someone else by the admin, by someone else of the admin, or of the admin by the admin.
    user_id: who === "admin" ? others.user : others.actor,
    actor_id: who === "ann" ? others.user : others.actor,
    details: JSON.stringify({ reason: `event ${index}` }),
  }));
  await db.insertInto("events").values(rows as never).execute();
  const seen: number[] = [];
  let path: string | null = `/admin/events?who=${id}`;
  while (path !== null) {
    const page: Page = await readPage(client.get(path));
    const reasons = page.textsAt("tbody .meta").flatMap((text) => text.match(/event (\d+)/)?.[1] ?? []);
    seen.push(...reasons.map(Number));
    path = page.findAll('[rel="next"]')[0]?.getAttribute("href") ?? null;
  }
  deepStrictEqual(seen, rows.map((_, index) => 59 - index));
});

Deno.test("the overview leads to the events of the period that it counts", async () => {
  const { client } = await registerAdmin(app);
  const person = await registerVerifiedUser(app, "ann@example.com", "Ann Smith");
  const overview = await readPage(client.get("/admin"));
  const eventsAt = async (label: string) => await textOf(await client.get(overview.link(label).href!));
  await logIn(app.client(), person.email, "Wrong-horse-77");
  for (const label of ["In the last 24 hours", "In the last 7 days"]) match(await eventsAt(label), /Ann Smith/);
  match(await eventsAt("Failed in the last 24 hours"), /wrong password login\.failed Ann Smith/);
  const twoDaysAgo = v7({ msecs: app.services.now().getTime() - 2 * DAY_SECONDS * SECOND_MS });
  for (const kind of ["session.started", "login.failed"] as const) {
    const id = twoDaysAgo.slice(0, -1) + kind.length % 10;
    await db.updateTable("events").set({ id }).where("user_id", "=", person.id).where("kind", "=", kind).execute();
  }
  doesNotMatch(await eventsAt("In the last 24 hours"), /Ann Smith/);
  match(await eventsAt("In the last 7 days"), /Ann Smith/);
  match(await eventsAt("Failed in the last 24 hours"), /No events/);
  strictEqual((await client.get("/admin/events?period=century")).status, 400);
});

Deno.test("the kinds of events have names in each language, with their codes", async () => {
  const { client } = await registerAdmin(app);
  const names = { en: "Email address changed", de: "E‑Mail-Adresse geändert", ar: "تغيّر البريد الإلكتروني" };
  for (const [language, name] of Object.entries(names)) {
    client.cookies.set("language", language);
    const page = await readPage(client.get("/admin/events"));
    const options = page.findAll('select[name="kind"] option').map((option) =>
      option.textContent.replaceAll(/[\u2068\u2069]/g, "")
    );
    ok(options.includes(`${name} (email.changed)`), options.join());
    strictEqual(options.length, EVENT_KINDS.length + 1);
  }
});

Deno.test("when someone was last seen is known after their sessions have ended", async () => {
  const { client } = await registerAdmin(app);
  const person = await registerVerifiedUser(app, "ann@example.com", "Ann Smith");
  const lastSeenAt = async () => (await (await client.get(`/api/admin/users/${person.id}`)).json()).data.lastSeenAt;
  const openedAt = app.services.now().getTime() / SECOND_MS;
  app.advance(MINUTE_SECONDS);
  await person.client.request("/auth/logout", { method: "POST" });
  strictEqual(await lastSeenAt(), Math.floor(openedAt));
  app.advance(DAY_SECONDS);
  await logIn(person.client, person.email);
  app.advance(10 * MINUTE_SECONDS);
  const leftAt = app.services.now().getTime() / SECOND_MS;
  await person.client.request("/auth/logout", { method: "POST" });
  await waitFor("the write", async () => await lastSeenAt() === Math.floor(leftAt));
  match(await textOf(await client.get(`/admin/users/${person.id}`)), /Last seen (?!never)/);
  const { data: [listed] } = await (await client.get("/api/admin/users?query=ann")).json();
  strictEqual(listed.lastSeenAt, Math.floor(leftAt));
});

Deno.test("one page says why someone cannot log in, and leads to what helps", async () => {
  const { client } = await registerAdmin(app);
  const person = await registerVerifiedUser(app, "ann@example.com", "Ann Smith");
  await logIn(app.client(), person.email, "Wrong-horse-77");
  const path = `/admin/users/${person.id}`;
  match(
    await textOf(await client.get(path)),
    /Can log in with: password\. Last failed login: .* Login failed: wrong password/,
  );
  const suspend = await client.submit(`${path}/suspend`, { reason: "" });
  match(await suspend.text(), /Enter a reason/);
  const done = await client.submit(`${path}/suspend`, { reason: "report 17" });
  deepStrictEqual([done.status, done.headers.get("Location")], [303, path]);
  const page = await readPage(client.get(path));
  strictEqual(page.notice, "Account suspended.");
  match(page.text, /Reason: report 17/);
  ok(page.leadsTo(`${path}/unsuspend`));
  ok(!page.leadsTo(`${path}/suspend`), "there is nothing to suspend");
  await client.submit(`${path}/unsuspend`, { reason: "" });
  strictEqual(
    (await db.selectFrom("users").select("suspended_at").where("id", "=", person.id).executeTakeFirstOrThrow())
      .suspended_at,
    null,
  );
});

Deno.test("limits of an account and of an address are lifted separately", async () => {
  const { client } = await registerAdmin(app);
  const person = await registerVerifiedUser(app, "ann@example.com", "Ann Smith");
  const login = { email: person.email, password: "Wrong-horse-77" };
  await app.client("203.0.113.7").send("POST", "/auth/login", login);
  for (const [policy, client] of [["proof", `user:${person.id}`], ["guess", "address:203.0.113.7"]]) {
    const window_ends_at = new Date(app.services.now().getTime() + 60_000);
    await db.insertInto("rate_limits").values({ policy, client, requests: 1_000, window_ends_at }).execute();
  }
  const limits = async () => (await (await client.get(`/admin/users/${person.id}`)).text()).match(/clear-limits[^"]*/g);
  const both = ["clear-limits?address=203.0.113.7", "clear-limits", "clear-limits"];
  deepStrictEqual((await limits())?.sort().reverse(), both, "two obstacles, and the action");
  await client.submit(`/admin/users/${person.id}/clear-limits`, { reason: "called me" });
  deepStrictEqual((await limits())?.sort().reverse(), both.slice(0, 2));
  await client.submit(`/admin/users/${person.id}/clear-limits`, { reason: "", address: "203.0.113.7" });
  strictEqual(await limits(), null);
  strictEqual((await client.submit(`/admin/users/${person.id}/clear-limits`, { address: "ann" })).status, 400);
});

Deno.test("the last admin stays, and an admin who is demoted leaves the administration", async () => {
  const { client, id } = await registerAdmin(app, "grace@example.com");
  await db.updateTable("users").set({ role: "user" }).where("email", "=", "always-an-admin@example.com").execute();
  const refused = await client.submit(`/admin/users/${id}/demote`, { reason: "vacation" });
  strictEqual(refused.status, 409);
  const page = await readPage(refused);
  match(page.text, /the last admin/);
  strictEqual(page.field("reason").value, "vacation");
  await db.updateTable("users").set({ role: "admin" }).where("email", "=", "always-an-admin@example.com").execute();
  const done = await client.submit(`/admin/users/${id}/demote`, { reason: "vacation" });
  strictEqual(done.headers.get("Location"), "/dashboard");
  strictEqual((await client.get("/admin")).status, 404);
});
