import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { sql } from "kysely";
import { COMMAND_LINE as by } from "../../lib/activity/events.ts";
import { removeUser } from "../../lib/admin/removal.ts";
import { changeRole } from "../../lib/admin/role.ts";
import { suspendUser } from "../../lib/admin/suspension.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { mailedToken, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp();
const { services } = app;
const isLastAdmin = (error: unknown) => error instanceof AppError && error.code === "LAST_ADMIN";

const WAYS: Record<string, (who: string) => Promise<unknown>> = {
  demote: (who) => changeRole(services, { who, role: "user", by }),
  suspend: (who) => suspendUser(services, { who, reason: "x", by }),
  close: (who) => removeUser(services, { who, reason: "x", now: false, by }),
  delete: (who) => removeUser(services, { who, reason: "x", now: true, by }),
};

const promote = (who: string) => changeRole(services, { who, role: "admin", by });

/** Leaves no admin, as no way of the product can. */
async function forgetAdmins(): Promise<void> {
  await services.db.transaction().execute(async (trx) => {
    await sql`alter table users disable trigger user`.execute(trx);
    await trx.updateTable("users").set({ role: "user" }).execute();
    await sql`alter table users enable trigger user`.execute(trx);
  });
}

Deno.test("no way removes the last admin, their own settings included", async () => {
  await forgetAdmins();
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
  await forgetAdmins();
  const { id, email } = await registerUser(app, "unconfirmed@example.org");
  await promote(id);
  const body = { email, token: await mailedToken(app, email), reject: true };
  const response = await app.client().send("POST", "/auth/verify-email", body);
  deepStrictEqual([response.status, (await response.json()).code], [409, "LAST_ADMIN"]);
});

Deno.test("a suspended or closing admin is not an admin left", async () => {
  for (const [name, leave] of Object.entries({ suspended: WAYS.suspend, closing: WAYS.close })) {
    await forgetAdmins();
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
    await forgetAdmins();
    const admins = await Promise.all(
      [0, 1, 2].map((index) => registerUser(app, `admin-${round}-${index}@example.org`)),
    );
    for (const { id } of admins) await promote(id);
    const results = await Promise.allSettled(admins.map(({ id }, index) => ways[(round + index) % ways.length](id)));
    const refused = results.filter((result) => result.status === "rejected");
    deepStrictEqual(refused.map(({ reason }) => isLastAdmin(reason) || String(reason)), [true]);
    const left = await services.db.selectFrom("users").select("id").where("role", "=", "admin")
      .where("suspended_at", "is", null).where("deletion_due_at", "is", null).execute();
    strictEqual(left.length, 1);
  }
});
