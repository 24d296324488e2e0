import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { sql } from "kysely";
import type { Registered } from "../support/app/accounts.ts";
import { registerAdmin } from "../support/app/admins.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0" });
const { db } = app.services;

const WAYS: Record<string, (by: Registered, id: string) => Promise<Response>> = {
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

/** Leaves no admin, as no way of the product can. */
async function forgetAdmins(): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`alter table users disable trigger user`.execute(trx);
    await trx.updateTable("users").set({ role: "user" }).execute();
    await sql`alter table users enable trigger user`.execute(trx);
  });
}

async function adminsLeft(): Promise<string[]> {
  const rows = await db.selectFrom("users").select("id").where("role", "=", "admin")
    .where("suspended_at", "is", null).where("deletion_due_at", "is", null).execute();
  return rows.map(({ id }) => id);
}

for (const [name, act] of Object.entries(WAYS)) {
  Deno.test(`${name}: the last admin cannot do it to themselves`, async () => {
    await forgetAdmins();
    const admin = await registerAdmin(app);
    const response = await act(admin, admin.id);
    deepStrictEqual([response.status, (await response.json()).code], [409, "LAST_ADMIN"]);
    deepStrictEqual(await adminsLeft(), [admin.id]);
  });

  for (const [otherName, otherAct] of Object.entries(WAYS)) {
    Deno.test(`${name} against ${otherName}: two admins who do it to each other at once leave one`, async () => {
      await forgetAdmins();
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
  await forgetAdmins();
  const [ann, bob, third] = [await registerAdmin(app), await registerAdmin(app), await registerAdmin(app)];
  const responses = await Promise.all([remove(ann, bob.id, true), remove(bob, ann.id, true)]);
  deepStrictEqual(responses.map(({ status }) => status).sort(), [204, 404]);
  strictEqual((await adminsLeft()).length, 2);
  ok((await adminsLeft()).includes(third.id));
});
