import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { COMMAND_LINE as by } from "../../lib/activity/events.ts";
import { prepareGroups, saveGroup } from "../../lib/groups/group.ts";
import { listGroupsOf, setGroups } from "../../lib/groups/membership.ts";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { registerAdmin } from "../support/app/admins.ts";
import { client, openAuthorizationApp } from "../support/app/authorization.ts";
import { readPage } from "../support/app/page_reader.ts";

/** The pages of groups: what they show, and that they act as the API does. */

const PLANS = "https://plans.example";
const app = await openAuthorizationApp(
  {
    LIMIT_WRITE: "off",
    IDP_PROVIDERS: "google",
    IDP_GOOGLE_CLIENT_ID: "foyer",
    IDP_GOOGLE_CLIENT_SECRET: "s3cret",
  },
  [client("desk", { groups: ["staff", "ops"] }), client("till", { groups: ["staff"] })],
  [
    { resource: PLANS, name: "Plans", scopes: {}, groups: ["staff"] },
  ],
);
const { db } = app.services;
await prepareGroups(app.services);
await saveGroup(app.services, { name: "staff", title: "Everyone who works here", by });
const admin = await registerAdmin(app);

const somebody = (name?: string) => registerVerifiedUser(app, `${crypto.randomUUID()}@example.com`, name);
const create = (name: string) => saveGroup(app.services, { name, title: name.toUpperCase(), by });
const pageAt = (path: string) => readPage(admin.client.get(path));

/** Sends a form, and returns the page that came back, with its status. */
async function refused(path: string, fields: Record<string, string>) {
  const response = await admin.client.submit(path, fields);
  return { status: response.status, page: await readPage(response) };
}

async function moved(path: string, fields: Record<string, string>): Promise<string | null> {
  const response = await admin.client.submit(path, fields);
  strictEqual(response.status, 303, await response.text());
  return response.headers.get("Location");
}

async function groupsOf(userId: string): Promise<[name: string, sources: string[]][]> {
  const groups = await listGroupsOf(db, { userId, now: app.services.now() });
  return groups.map(({ name, sources }) => [name, sources]);
}

async function isInBy(userId: string, group: string, source: string): Promise<void> {
  const row = { id: crypto.randomUUID(), user_id: userId, group_name: group, source };
  await db.insertInto("group_members").values({ ...row, created_at: app.services.now(), expires_at: null }).execute();
}

/** The rows of a list, each as the texts of its cells. */
async function rowsAt(path: string): Promise<string[][]> {
  const page = await pageAt(path);
  return page.findAll("tbody tr").map((_, index) => page.textsAt(`tbody tr:nth-child(${index + 1}) > *`));
}

Deno.test("the list names each group, how many people are in it, and how many apps and APIs it opens", async () => {
  await create("choir");
  const person = await somebody();
  await setGroups(app.services, { userId: person.id, groups: ["staff"], by, reason: "a test" });
  const rows = (await rowsAt("/admin/groups")).map((cells) => cells.slice(0, 3));
  deepStrictEqual(rows.filter(([name]) => /choir|ops|staff/.test(name)), [
    ["CHOIR choir", "nobody", "no app"],
    ["ops ops", "nobody", "1 app or API"],
    ["Everyone who works here staff", "1 person", "3 apps and APIs"],
  ]);
});

Deno.test("the form creates a group, renames it, and leads to it", async () => {
  strictEqual(await moved("/admin/groups", { groupName: "band", groupTitle: "Band" }), "/admin/groups/band");
  const rename = (await pageAt("/admin/groups/band")).link("Rename").href!;
  const form = await pageAt(rename);
  deepStrictEqual([form.field("groupName").value, form.field("groupTitle").value], ["band", "Band"]);
  await moved("/admin/groups", { groupName: "band", groupTitle: "The band" });
  strictEqual((await pageAt("/admin/groups/band")).heading, "The band");
});

Deno.test("a name that can be none comes back with what is wrong", async () => {
  const { status, page } = await refused("/admin/groups", { groupName: "The Staff", groupTitle: "" });
  strictEqual(status, 400);
  match(page.field("groupName").error!, /^Use up to 40 lowercase letters/);
  deepStrictEqual([page.field("groupTitle").error, page.field("groupName").value], [
    "Enter a title for the group",
    "The Staff",
  ]);
});

Deno.test("the page of a group says who is in it and why, and what it opens", async () => {
  const [both, lent] = [await somebody("Both Ways"), await somebody("Lent Out")];
  await create("mixed");
  await setGroups(app.services, { userId: both.id, groups: ["mixed"], by, reason: "a test" });
  await isInBy(both.id, "mixed", "provider:google");
  await isInBy(lent.id, "mixed", "provider:gone");
  const rows = await rowsAt("/admin/groups/mixed");
  deepStrictEqual(rows.map(([, sources, act]) => [sources, act]).sort(), [["Admin, Google", "Remove"], ["gone", ""]]);
  const page = await pageAt("/admin/groups/mixed");
  strictEqual(page.link("Remove Both Ways").href, `/admin/groups/mixed/people/${both.id}`);
  match(page.text, /Opens No app or API names this group/);
  match((await pageAt("/admin/groups/staff")).text, /Opens The desk The till Plans/);
});

Deno.test("someone is added by address or by id, with a reason", async () => {
  await create("crew");
  const [one, other] = [await somebody(), await somebody()];
  const path = "/admin/groups/crew";
  for (const who of [one.email.toUpperCase(), other.id]) strictEqual(await moved(path, { who, reason: "hired" }), path);
  deepStrictEqual(await groupsOf(one.id), [["crew", ["admin"]]]);
  deepStrictEqual(await groupsOf(other.id), [["crew", ["admin"]]]);
  const { details } = await db.selectFrom("events").select("details").where("user_id", "=", one.id)
    .where("kind", "=", "group.joined").executeTakeFirstOrThrow();
  deepStrictEqual(details, { group: "crew", source: "admin", reason: "hired" });
});

Deno.test("someone who does not exist, or no reason, adds no one", async () => {
  const { email, id } = await somebody();
  const unknown = await refused("/admin/groups/staff", { who: "nobody@example.com", reason: "hired" });
  deepStrictEqual([unknown.status, unknown.page.field("who").error], [
    404,
    "There is no account with this address or id",
  ]);
  const silent = await refused("/admin/groups/staff", { who: email, reason: "" });
  deepStrictEqual([silent.status, silent.page.field("reason").error], [400, "Enter a reason"]);
  strictEqual(silent.page.field("who").value, email);
  deepStrictEqual(await groupsOf(id), []);
});

Deno.test("someone who is removed stays in the group if a provider says so", async () => {
  await create("guild");
  const { id } = await somebody();
  await setGroups(app.services, { userId: id, groups: ["guild", "staff"], by, reason: "a test" });
  await isInBy(id, "guild", "provider:google");
  await moved(`/admin/groups/guild/people/${id}`, { reason: "left" });
  deepStrictEqual(await groupsOf(id), [["guild", ["provider:google"]], ["staff", ["admin"]]]);
  strictEqual((await refused(`/admin/groups/guild/people/${id}`, { reason: "" })).status, 400);
});

Deno.test("a group that an app names cannot be deleted, and the page says which app", async () => {
  const { status, page } = await refused("/admin/groups/ops/delete", { reason: "" });
  deepStrictEqual([status, page.message], [409, "The desk names this group. Change that first."]);
  strictEqual((await admin.client.get("/admin/groups/ops")).status, 200);
});

Deno.test("a group that no one names is deleted with a reason", async () => {
  await create("brief");
  strictEqual(await moved("/admin/groups/brief/delete", { reason: "no longer needed" }), "/admin/groups");
  strictEqual((await admin.client.get("/admin/groups/brief")).status, 404);
  const { details } = await db.selectFrom("events").select("details").where("kind", "=", "group.changed")
    .orderBy("id", "desc").executeTakeFirstOrThrow();
  deepStrictEqual(details, { group: "brief", change: "deleted", reason: "no longer needed" });
});

Deno.test("the list of people goes on where they are many", async () => {
  await create("crowd");
  const people = await Promise.all(Array.from({ length: 51 }, () => somebody()));
  for (const { id } of people) await isInBy(id, "crowd", "admin");
  strictEqual((await rowsAt("/admin/groups/crowd")).length, 50);
  const next = (await pageAt("/admin/groups/crowd")).link("Next page").href!;
  strictEqual((await rowsAt(next)).length, 1);
});

Deno.test("the groups of a person are ticked as far as admins say so, and saved together", async () => {
  for (const name of ["red", "green", "password-team"]) await create(name);
  const { id } = await somebody();
  await setGroups(app.services, { userId: id, groups: ["red"], by, reason: "a test" });
  await isInBy(id, "green", "provider:google");
  const path = `/admin/users/${id}/groups`;
  const ticked = async () => (await pageAt(path)).findAll("[checked]").map((box) => box.getAttribute("value"));
  deepStrictEqual(await ticked(), ["red"]);
  match((await pageAt(path)).text, /GREEN green also by Google/);
  match((await pageAt(`/admin/users/${id}`)).text, /Groups GREEN Google RED Admin Change groups/);
  strictEqual(await moved(path, { "groups[]": "password-team", reason: "a new team" }), `/admin/users/${id}`);
  deepStrictEqual(await groupsOf(id), [["green", ["provider:google"]], ["password-team", ["admin"]]]);
});

Deno.test("groups of a person that come back without a reason stay ticked", async () => {
  for (const name of ["blue", "password-lab"]) await create(name);
  const { id } = await somebody();
  const body = new URLSearchParams([["groups[]", "blue"], ["groups[]", "password-lab"], ["reason", ""]]);
  const response = await admin.client.request(`/admin/users/${id}/groups`, { method: "POST", body });
  const page = await readPage(response);
  deepStrictEqual([response.status, page.field("reason").error], [400, "Enter a reason"]);
  deepStrictEqual(page.findAll("[checked]").map((box) => box.getAttribute("value")), ["blue", "password-lab"]);
  deepStrictEqual(await groupsOf(id), []);
});

Deno.test("a group that was deleted meanwhile is named", async () => {
  const { id } = await somebody();
  const { status, page } = await refused(`/admin/users/${id}/groups`, { "groups[]": "gone", reason: "moved" });
  deepStrictEqual([status, page.field("groups[]").error, page.textAt("#groups-error")], [
    400,
    null,
    "The group gone no longer exists",
  ]);
});

Deno.test("a person can be in no more than 50 groups, and the page says so", async () => {
  const { id } = await somebody();
  const names = Array.from({ length: 50 }, (_, number) => `many-${number}`);
  for (const name of names) await create(name);
  await setGroups(app.services, { userId: id, groups: names, by, reason: "a test" });
  const { status, page } = await refused("/admin/groups/staff", { who: id, reason: "one more" });
  strictEqual(status, 409);
  match(page.field("who").error!, /as many groups as possible/);
});

Deno.test("a group that does not exist has no page", async () => {
  for (const path of ["", "/delete", `/people/${admin.id}`]) {
    strictEqual((await admin.client.get(`/admin/groups/nothing${path}`)).status, 404, path);
    strictEqual((await admin.client.get(`/admin/groups/No%20Name${path}`)).status, 404, path);
  }
});
