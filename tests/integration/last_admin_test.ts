import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { COMMAND_LINE as by } from "../../lib/activity/events.ts";
import { removeUser } from "../../lib/admin/removal.ts";
import { changeRole } from "../../lib/admin/role.ts";
import { suspendUser } from "../../lib/admin/suspension.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { mailedToken, type Registered, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { forgetAdmins, registerAdmin } from "../support/app/admins.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0" });
const { services } = app;
const isLastAdmin = (error: unknown) => error instanceof AppError && error.code === "LAST_ADMIN";

const WAYS: Record<string, (who: string) => Promise<unknown>> = {
  demote: (who) => changeRole(services, { who, role: "user", by }),
  suspend: (who) => suspendUser(services, { who, reason: "x", by }),
  close: (who) => removeUser(services, { who, reason: "x", now: false, by }),
  delete: (who) => removeUser(services, { who, reason: "x", now: true, by }),
};

const promote = (who: string) => changeRole(services, { who, role: "admin", by });

Deno.test("no way removes the last admin, their own settings included", async () => {
  await forgetAdmins(app);
  const admin = await registerVerifiedUser(app, "only@example.org");
  await promote(admin.id);
  for (const [name, act] of Object.entries(WAYS)) await rejects(act(admin.id), isLastAdmin, name);
  const response = await admin.client.request("/api/account", { method: "DELETE" });
  deepStrictEqual([response.status, (await response.json()).code], [409, "LAST_ADMIN"]);
  const row = await services.db.selectFrom("users").select(["role", "suspended_at", "deletion_due_at"])
    .where("id", "=", admin.id).executeTakeFirst();
  deepStrictEqual(row, { role: "admin", suspended_at: null, deletion_due_at: null });
  strictEqual((await admin.client.get("/api/account")).status, 200, "they are still logged in");
});

Deno.test("an admin whose address is not confirmed cannot be disowned if they are the last one", async () => {
  await forgetAdmins(app);
  const { id, email } = await registerUser(app, "unconfirmed@example.org");
  await promote(id);
  const body = { email, token: await mailedToken(app, email), reject: true };
  const response = await app.client().send("POST", "/auth/verify-email", body);
  deepStrictEqual([response.status, (await response.json()).code], [409, "LAST_ADMIN"]);
});

Deno.test("a suspended or closing admin is not an admin left", async () => {
  for (const [name, leave] of Object.entries({ suspended: WAYS.suspend, closing: WAYS.close })) {
    await forgetAdmins(app);
    const gone = await registerVerifiedUser(app, `${name}@example.org`);
    const left = await registerVerifiedUser(app, `beside-${name}@example.org`);
    for (const { id } of [gone, left]) await promote(id);
    await leave(gone.id);
    for (const [way, act] of Object.entries(WAYS)) await rejects(act(left.id), isLastAdmin, `${name}, ${way}`);
    strictEqual(await changeRole(services, { who: gone.id, role: "user", by }), true, "they may be demoted themselves");
  }
});

Deno.test("of admins who are removed at the same moment, one stays", async () => {
  const ways = Object.values(WAYS);
  for (let round = 0; round < ways.length; round++) {
    await forgetAdmins(app);
    const admins = await Promise.all(
      [0, 1, 2].map((index) => registerUser(app, `admin-${round}-${index}@example.org`)),
    );
    for (const { id } of admins) await promote(id);
    const results = await Promise.allSettled(admins.map(({ id }, index) => ways[(round + index) % ways.length](id)));
    const refused = results.filter((result) => result.status === "rejected");
    deepStrictEqual(refused.map(({ reason }) => isLastAdmin(reason) || String(reason)), [true]);
    strictEqual((await adminsLeft()).length, 1);
  }
});

const API_WAYS: Record<string, (by: Registered, id: string) => Promise<Response>> = {
  demote: ({ client }, id) => client.send("PUT", `/api/admin/users/${id}/role`, { role: "user" }),
  suspend: ({ client }, id) => client.send("POST", `/api/admin/users/${id}/suspend`, { reason: "race" }),
  close: ({ client }, id) => remove({ client }, id, false),
  delete: ({ client }, id) => remove({ client }, id, true),
};

function remove({ client }: Pick<Registered, "client">, id: string, now: boolean): Promise<Response> {
  return client.request(`/api/admin/users/${id}`, {
    method: "DELETE",
    body: JSON.stringify({ reason: "race", now }),
    headers: { "Content-Type": "application/json" },
  });
}

async function adminsLeft(): Promise<string[]> {
  const rows = await services.db.selectFrom("users").select("id").where("role", "=", "admin")
    .where("suspended_at", "is", null).where("deletion_due_at", "is", null).execute();
  return rows.map(({ id }) => id);
}

for (const [name, act] of Object.entries(API_WAYS)) {
  Deno.test(`${name}: the last admin cannot do it to themselves`, async () => {
    await forgetAdmins(app);
    const admin = await registerAdmin(app);
    const response = await act(admin, admin.id);
    deepStrictEqual([response.status, (await response.json()).code], [409, "LAST_ADMIN"]);
    deepStrictEqual(await adminsLeft(), [admin.id]);
  });

  for (const [otherName, otherAct] of Object.entries(API_WAYS)) {
    Deno.test(`${name} against ${otherName}: two admins who do it to each other at once leave one`, async () => {
      await forgetAdmins(app);
      const [ann, bob] = [await registerAdmin(app), await registerAdmin(app)];
      const responses = await Promise.all([act(ann, bob.id), otherAct(bob, ann.id)]);
      const statuses = responses.map(({ status }) => status);
      strictEqual((await adminsLeft()).length, 1, `${statuses}`);
      strictEqual(statuses.filter((status) => status < 300).length, 1, `${statuses}`);
      ok(statuses.every((status) => status < 300 || status === 404 || status === 409), `${statuses}`);
    });
  }
}

Deno.test("of two admins who delete each other at once beside a third, one stays", async () => {
  await forgetAdmins(app);
  const [ann, bob, third] = [await registerAdmin(app), await registerAdmin(app), await registerAdmin(app)];
  const responses = await Promise.all([remove(ann, bob.id, true), remove(bob, ann.id, true)]);
  deepStrictEqual(responses.map(({ status }) => status).sort(), [204, 404]);
  strictEqual((await adminsLeft()).length, 2);
  ok((await adminsLeft()).includes(third.id));
});
