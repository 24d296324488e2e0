import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { COMMAND_LINE } from "../../lib/activity/events.ts";
import { removeUser } from "../../lib/admin/removal.ts";
import { suspendUser, unsuspendUser } from "../../lib/admin/suspension.ts";
import { unixSeconds } from "../../lib/duration.ts";
import { logIn } from "../support/app/accounts.ts";
import { registerAdmin } from "../support/app/admins.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import { openUploader, type Uploader } from "../support/uploads/upload_world.ts";

/** How an admin opens the private file of someone else. Who may do it is in admin_api_test.ts. */
const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0" });
const { services } = app;
const admin = await registerAdmin(app);
const REASON = "Report 18: forged invoice";

type Json = ReturnType<typeof JSON.parse>;

async function openAsAdmin(id: string, headers?: HeadersInit): Promise<{ status: number } & Json> {
  const response = await admin.client.send("POST", `/api/admin/uploads/${id}/link`, { reason: REASON }, headers);
  return { status: response.status, ...await response.json() };
}

/** Returns the status that a stranger gets. */
async function open(url: string): Promise<number> {
  const { pathname, search } = new URL(url);
  return (await app.client().get(pathname + search)).status;
}

const act = ({ id }: Uploader) => ({ who: id, by: COMMAND_LINE, reason: "spam" });

Deno.test("an admin opens a private file for five minutes, and its owner reads which file and why", async () => {
  const owner = await openUploader(app);
  const { id } = await owner.store("hello", "private");
  const { status, data } = await openAsAdmin(id);
  deepStrictEqual([status, data.expiresAt], [200, unixSeconds(services.now()) + 300]);
  strictEqual(await open(data.url), 200);

  const { data: [event] } = await (await owner.client.get("/api/account/events?limit=1")).json();
  deepStrictEqual([event.kind, event.details, event.device, event.clientAddress], [
    "upload.opened",
    { upload: id, name: "a.txt", reason: REASON },
    null,
    null,
  ]);
  match(
    await (await owner.client.get("/settings/activity")).text(),
    /An admin opened the private file “(<bdi>)?a\.txt(<\/bdi>)?”: Report 18: forged invoice/,
  );
  const { data: [logged] } = await (await admin.client.get(`/api/admin/events?kind=upload.opened&user=${owner.id}`))
    .json();
  deepStrictEqual([logged.actor.id, logged.user.id, logged.reason], [admin.id, owner.id, REASON]);
  const log = await (await admin.client.get(`/admin/events?kind=upload.opened&user=${owner.id}`)).text();
  match(log, /Private file opened/);

  app.advance(300);
  strictEqual(await open(data.url), 404);
});

Deno.test("an admin opens only private files that are stored, of people whose accounts stay", async () => {
  const owner = await openUploader(app);
  const closed = await openUploader(app);
  const { id: closedId } = await closed.store("hello", "private");
  await removeUser(services, { ...act(closed), now: false });
  const deleted = await owner.store("hello", "private");
  await owner.delete(deleted.id);
  const cases: [id: string, result: string][] = [
    [(await owner.store()).id, "400 VALIDATION_FAILED"],
    [(await owner.presign({ visibility: "private" })).id, "409 NOT_UPLOADED"],
    [deleted.id, "404 NOT_FOUND"],
    [closedId, "404 NOT_FOUND"],
    [crypto.randomUUID(), "404 NOT_FOUND"],
  ];
  for (const [index, [id, result]] of cases.entries()) {
    const { status, code } = await openAsAdmin(id);
    strictEqual(`${status} ${code}`, result, `case ${index}`);
  }
  const events = await services.db.selectFrom("events").select("id").where("kind", "=", "upload.opened")
    .where("user_id", "in", [owner.id, closed.id]).execute();
  deepStrictEqual(events, [], "a refused act is no event");
});

Deno.test("an admin opens the file of a suspended account, and the owner can revoke that link too", async () => {
  const owner = await openUploader(app);
  const { id } = await owner.store("hello", "private");
  const before = await openAsAdmin(id);
  await suspendUser(services, act(owner));
  strictEqual(await open(before.data.url), 404, "a suspension ends all links");
  const { status, data } = await openAsAdmin(id);
  deepStrictEqual([status, await open(data.url)], [200, 200]);
  await unsuspendUser(services, act(owner));
  await services.db.updateTable("users").set({ email_verified: true }).where("id", "=", owner.id).execute();
  await logIn(owner.client, owner.email);
  strictEqual((await owner.client.request(`/api/uploads/${id}/links`, { method: "DELETE" })).status, 204);
  strictEqual(await open(data.url), 404);
});

Deno.test("an act that is repeated with the same key opens the file once", async () => {
  const owner = await openUploader(app);
  const { id } = await owner.store("hello", "private");
  const key = { "Idempotency-Key": crypto.randomUUID() };
  const first = await openAsAdmin(id, key);
  app.advance(10);
  deepStrictEqual((await openAsAdmin(id, key)).data, first.data);
  const events = await services.db.selectFrom("events").select("id").where("kind", "=", "upload.opened")
    .where("user_id", "=", owner.id).execute();
  strictEqual(events.length, 1);
});
