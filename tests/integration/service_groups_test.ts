import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { RegisteredClient } from "../../lib/config/registered_client.ts";
import { deleteGroup, prepareGroups } from "../../lib/groups/group.ts";
import { COMMAND_LINE } from "../../lib/activity/events.ts";
import { groupNamesOf, setGroup, setGroups } from "../../lib/groups/membership.ts";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { openAuthorizationApp } from "../support/app/authorization.ts";
import { serviceApp, serviceToken } from "../support/app/service_apps.ts";

/** Apps that act as themselves and put people into groups. */

const app = await openAuthorizationApp({ LOGIN_MAX_ATTEMPTS: "0", SECOND_FACTOR: "group:guarded" }, [
  serviceApp("sync", { scope: "groups:write groups:read admin", manages_groups: ["crew", "guests", "guarded"] }),
  serviceApp("other", { scope: "groups:write", manages_groups: ["crew"] }),
  serviceApp("none", { scope: "groups:write" }),
]);
const { services } = app;
const { db } = services;
await prepareGroups(services);
await db.insertInto("groups").values({ name: "staff", title: "Staff", created_at: services.now() }).execute();
const clients = services.config.registrations!.clients as Map<string, RegisteredClient>;
let people = 0;

async function put(userId: string, groups: string[], { id = "sync", scope = "groups:write" } = {}) {
  const headers = { Authorization: `Bearer ${await serviceToken(app, id, { scope })}` };
  const body = { groups, reason: "from the directory" };
  const response = await app.client().send("PUT", `/api/admin/users/${userId}/groups`, body, headers);
  return { status: response.status, body: await response.json() };
}

const newPerson = async () => (await registerVerifiedUser(app, `of-groups-${++people}@example.com`)).id;
const groupsOf = (userId: string) => groupNamesOf(db, { userId, now: services.now() });

async function rowsOf(userId: string): Promise<string[]> {
  const rows = await db.selectFrom("group_members").select(["group_name", "source"]).where("user_id", "=", userId)
    .orderBy("source").orderBy("group_name").execute();
  return rows.map(({ group_name, source }) => `${source} ${group_name}`);
}

Deno.test("an app sets its own memberships, and those of admins and of other apps stay", async () => {
  const id = await newPerson();
  await setGroups(services, { userId: id, groups: ["staff", "crew"], by: COMMAND_LINE, reason: "x" });
  deepStrictEqual(await put(id, ["crew", "guests", "crew"]), {
    status: 200,
    body: { success: true, groups: ["crew", "guests"] },
  }, "only the groups that it manages");
  const { body } = await put(id, ["crew", "guests"], { scope: "groups:write groups:read" });
  deepStrictEqual(body.groups, ["crew", "guests", "staff"]);
  strictEqual((await put(id, ["crew"], { id: "other" })).status, 200);
  deepStrictEqual(await rowsOf(id), [
    "admin crew",
    "admin staff",
    "client:other crew",
    "client:sync crew",
    "client:sync guests",
  ]);
  strictEqual((await put(id, ["guests"])).status, 200);
  strictEqual((await put(id, [], { id: "other" })).status, 200);
  deepStrictEqual(await rowsOf(id), ["admin crew", "admin staff", "client:sync guests"]);
  const events = await db.selectFrom("events").selectAll().where("user_id", "=", id).where("actor", "=", "client:sync")
    .orderBy("id").execute();
  deepStrictEqual(
    events.map(({ kind, actor_id, details }) => [kind, actor_id, details.group, details.source, details.reason]),
    [
      ["group.joined", null, "crew", "client:sync", "from the directory"],
      ["group.joined", null, "guests", "client:sync", "from the directory"],
      ["group.left", null, "crew", "client:sync", "from the directory"],
    ],
  );
});

Deno.test("an app sets no group that it does not manage, nor one that SECOND_FACTOR names", async () => {
  const id = await newPerson();
  for (
    const [groups, options] of [
      [["staff"], {}],
      [["crew", "staff"], {}],
      [["guarded"], {}],
      [["nothing"], {}],
      [["guests"], { id: "other" }],
      [["crew"], { id: "none" }],
      [["crew", "staff"], { scope: "groups:write admin" }],
    ] as const
  ) {
    const { status, body } = await put(id, [...groups], options);
    deepStrictEqual([status, body.code], [400, "VALIDATION_FAILED"], JSON.stringify([groups, options]));
    match(body.details.groups[0], /^Is not a group that this app manages: \w+$/);
  }
  deepStrictEqual(await groupsOf(id), []);
  strictEqual((await put(id, [], { id: "none" })).status, 200, "no group is none too many");
});

Deno.test("an app removes no one from a group that it no longer manages, nor from one that SECOND_FACTOR names now", async () => {
  const id = await newPerson();
  const sync = clients.get("sync")!;
  strictEqual((await put(id, ["crew", "guests"])).status, 200);
  const row = {
    user_id: id,
    group_name: "guarded",
    source: "client:sync",
    created_at: services.now(),
    expires_at: null,
  };
  await db.insertInto("group_members").values({ ...row, id: crypto.randomUUID() }).execute();
  try {
    clients.set("sync", { ...sync, managedGroups: ["guests", "guarded"] });
    strictEqual((await put(id, [])).status, 200);
  } finally {
    clients.set("sync", sync);
  }
  deepStrictEqual(await groupsOf(id), ["crew", "guarded"]);
});

Deno.test("admins take back what an app has said", async () => {
  const id = await newPerson();
  await setGroups(services, { userId: id, groups: ["staff"], by: COMMAND_LINE, reason: "x" });
  await put(id, ["crew"]);
  const drop = () =>
    setGroup(services, { userId: id, group: "crew", isMember: false, by: COMMAND_LINE, reason: "the app is gone" });
  deepStrictEqual([await drop(), await drop()], [true, false]);
  deepStrictEqual(await rowsOf(id), ["admin staff"]);
});

Deno.test("neither the scope admin nor groups:read sets groups, and an app makes and deletes none", async () => {
  const id = await newPerson();
  for (const scope of ["admin", "groups:read"]) {
    const { status, body } = await put(id, ["crew"], { scope });
    deepStrictEqual([status, body.code, body.details.scopes], [403, "SCOPE_MISSING", ["groups:write"]], scope);
  }
  const headers = { Authorization: `Bearer ${await serviceToken(app, "sync", { scope: "groups:write" })}` };
  const made = await app.client().send("PUT", "/api/admin/groups/new", { title: "New" }, headers);
  strictEqual(made.status, 403);
  strictEqual((await app.client().request("/api/admin/groups/crew", { method: "DELETE", headers })).status, 403);
  strictEqual((await put(crypto.randomUUID(), ["crew"])).status, 404);
});

Deno.test("a group that an app manages cannot be deleted", async () => {
  const error = await deleteGroup(services, { name: "guests", by: COMMAND_LINE }).then(() => null, (error) => error);
  strictEqual(error.code, "GROUP_IN_USE");
  ok(error.data.by.startsWith("The "));
});

Deno.test("a person is in at most 50 groups, whoever says so", async () => {
  const id = await newPerson();
  const names = Array.from({ length: 50 }, (_, index) => `many-${index}`);
  await db.insertInto("groups").values(names.map((name) => ({ name, title: name, created_at: services.now() })))
    .execute();
  await setGroups(services, { userId: id, groups: names, by: COMMAND_LINE, reason: "x" });
  const { status, body } = await put(id, ["crew"]);
  deepStrictEqual([status, body.code], [409, "TOO_MANY"]);
});
