import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { COMMAND_LINE } from "../../lib/activity/events.ts";
import { saveGroup } from "../../lib/groups/group.ts";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { registerAdmin } from "../support/app/admins.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp();
const { db } = app.services;
const admin = await registerAdmin(app);

async function send(method: string, path: string, body?: unknown) {
  const headers = { "Content-Type": "application/json" };
  const response = await admin.client.request(path, {
    method,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, ...text === "" ? {} : JSON.parse(text) };
}

const somebody = () => registerVerifiedUser(app, `${crypto.randomUUID()}@example.com`);
const create = (name: string) => saveGroup(app.services, { name, title: name.toUpperCase(), by: COMMAND_LINE });
const setGroups = (id: string, groups: unknown, reason: unknown = "a new team") =>
  send("PUT", `/api/admin/users/${id}/groups`, { groups, reason });

Deno.test("a group is created, renamed and deleted, and each leaves an event", async () => {
  deepStrictEqual(await send("PUT", "/api/admin/groups/ops", { title: "Operations" }), {
    status: 200,
    data: { name: "ops", title: "Operations", members: 0 },
  });
  strictEqual((await send("PUT", "/api/admin/groups/ops", { title: "Running things" })).data.title, "Running things");
  strictEqual((await send("DELETE", "/api/admin/groups/ops")).status, 204);
  strictEqual((await send("DELETE", "/api/admin/groups/ops")).status, 404);
  const { data } = await send("GET", `/api/admin/events?kind=group.changed&actor=${admin.id}`);
  deepStrictEqual(data.map(({ details }: { details: { change: string } }) => details.change), [
    "deleted",
    "renamed",
    "created",
  ]);
});

for (
  const [name, isGood] of [
    ["a", true],
    ["7.up_to-date", true],
    ["a".repeat(40), true],
    ["a".repeat(41), false],
    ["Staff", false],
    [".staff", false],
    ["staff team", false],
    ["staff,ops", false],
    ["stäff", false],
    ["%00", false],
  ] as const
) {
  Deno.test(`a group ${isGood ? "may" : "may not"} be called ${name.slice(0, 20)} (${name.length})`, async () => {
    const path = `/api/admin/groups/${name === "%00" ? name : encodeURIComponent(name)}`;
    strictEqual((await send("PUT", path, { title: "Some people" })).status, isGood ? 200 : 400);
    if (!isGood) strictEqual((await send("DELETE", path)).status, 404);
  });
}

Deno.test("a person is in the groups that an admin names, and sees them", async () => {
  for (const name of ["wiki", "chat", "mail"]) await create(name);
  const person = await somebody();
  const response = await setGroups(person.id, ["wiki", "chat", "wiki"]);
  deepStrictEqual(response, { status: 200, success: true, groups: ["chat", "wiki"] });
  deepStrictEqual((await (await person.client.get("/api/account")).json()).data.groups, ["chat", "wiki"]);
  deepStrictEqual((await send("GET", `/api/admin/users/${person.id}`)).data.groups, [
    { name: "chat", title: "CHAT", sources: ["admin"] },
    { name: "wiki", title: "WIKI", sources: ["admin"] },
  ]);
  deepStrictEqual((await setGroups(person.id, ["mail", "wiki"])).groups, ["mail", "wiki"]);

  const { data: members } = await send("GET", "/api/admin/groups/wiki/members");
  deepStrictEqual(members.map(({ id, sources }: { id: string; sources: string[] }) => [id, sources]), [[person.id, [
    "admin",
  ]]]);
  const { data } = await send("GET", `/api/admin/events?user=${person.id}`);
  const moves = data.filter(({ kind }: { kind: string }) => kind.startsWith("group."));
  deepStrictEqual(
    moves.map(({ kind, details, reason }: { kind: string; details: { group: string }; reason: string }) => [
      kind,
      details.group,
      reason,
    ]).sort(),
    [
      ["group.joined", "chat", "a new team"],
      ["group.joined", "mail", "a new team"],
      ["group.joined", "wiki", "a new team"],
      ["group.left", "chat", "a new team"],
    ],
  );
});

Deno.test("a person sees that they are in a group, and not the words of the admin", async () => {
  await create("quiet");
  const person = await somebody();
  await setGroups(person.id, ["quiet"], "under observation");
  const { data } = await (await person.client.get("/api/account/events")).json();
  const { details } = data.find(({ kind }: { kind: string }) => kind === "group.joined");
  deepStrictEqual(details, { group: "quiet", source: "admin" });
});

Deno.test("a group that does not exist changes nothing, and is named", async () => {
  await create("real");
  const { id } = await somebody();
  const response = await setGroups(id, ["real", "unreal"]);
  deepStrictEqual([response.status, response.details], [400, { groups: ["There is no group unreal"] }]);
  deepStrictEqual((await send("GET", `/api/admin/users/${id}`)).data.groups, []);
});

Deno.test("groups of another type, or without a reason, are refused by field", async () => {
  const { id } = await somebody();
  const refused = async (groups: unknown, reason?: unknown) =>
    Object.keys((await setGroups(id, groups, reason)).details)[0];
  strictEqual(await refused("wiki"), "groups");
  strictEqual(await refused([7]), "groups");
  strictEqual(await refused(["No Name"]), "groups");
  strictEqual(await refused(Array.from({ length: 51 }, (_, n) => `g${n}`)), "groups");
  strictEqual(await refused([], ""), "reason");
});

Deno.test("a person can be in 50 groups, and in no more", async () => {
  const names = Array.from({ length: 51 }, (_, number) => `many-${number}`);
  for (const name of names) await create(name);
  const { id } = await somebody();
  strictEqual((await setGroups(id, names.slice(0, 50))).groups.length, 50);
  const provider = { source: "provider:contoso", created_at: app.services.now(), expires_at: null };
  await db.insertInto("group_members").values({
    id: crypto.randomUUID(),
    user_id: id,
    group_name: names[50],
    ...provider,
  })
    .execute();
  const response = await setGroups(id, names.slice(1, 51));
  deepStrictEqual([response.status, response.groups.length], [200, 50]);
  deepStrictEqual((await setGroups(id, names.slice(0, 50))).code, "TOO_MANY");
});

Deno.test("a membership that a provider has not repeated in time no longer counts", async () => {
  await create("lent");
  const person = await somebody();
  const expires_at = new Date(app.services.now().getTime() + 1_000);
  const row = { id: crypto.randomUUID(), user_id: person.id, group_name: "lent", source: "provider:contoso" };
  await db.insertInto("group_members").values({ ...row, created_at: app.services.now(), expires_at }).execute();
  const groups = async () => (await (await person.client.get("/api/account")).json()).data.groups;
  deepStrictEqual(await groups(), ["lent"]);
  strictEqual(
    (await send("GET", "/api/admin/groups")).data.find(({ name }: { name: string }) => name === "lent").members,
    1,
  );
  app.advance(1);
  deepStrictEqual(await groups(), []);
  strictEqual(
    (await send("GET", "/api/admin/groups")).data.find(({ name }: { name: string }) => name === "lent").members,
    0,
  );
  deepStrictEqual((await send("GET", "/api/admin/groups/lent/members")).data, []);
});

Deno.test("no one is in a deleted group", async () => {
  await create("short-lived");
  const person = await somebody();
  await setGroups(person.id, ["short-lived"]);
  await send("DELETE", "/api/admin/groups/short-lived");
  deepStrictEqual((await (await person.client.get("/api/account")).json()).data.groups, []);
});

Deno.test("two admins who set groups at the same time leave one of both choices", async () => {
  for (const name of ["left", "right"]) await create(name);
  const { id } = await somebody();
  await Promise.all(["left", "right"].map((name) => setGroups(id, [name])));
  strictEqual((await send("GET", `/api/admin/users/${id}`)).data.groups.length, 1);
});

Deno.test("members of a large group come in pages", async () => {
  await create("large");
  const people = [await somebody(), await somebody(), await somebody()];
  for (const { id } of people) await setGroups(id, ["large"]);
  const first = await send("GET", "/api/admin/groups/large/members?limit=2");
  const second = await send("GET", `/api/admin/groups/large/members?limit=2&cursor=${first.nextCursor}`);
  deepStrictEqual(
    [...first.data, ...second.data].map(({ id }: { id: string }) => id),
    people.map(({ id }) => id).sort().reverse(),
  );
  strictEqual(second.nextCursor, null);
});
