import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { writeNextEvent } from "../../lib/activity/audit_log.ts";
import { recordEvent } from "../../lib/activity/events.ts";
import { type AuditLine, AuditLineSchema } from "../../lib/activity/schema.ts";
import { registerUser } from "../support/app/accounts.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import { waitFor } from "../support/wait_for.ts";

const app = await openSharedTestApp();
const { db } = app.services;

Deno.test.beforeEach(async () => {
  await app.database.empty();
  await written();
});

/** Writes what is due, waits until that is at least `count` lines, and returns them. */
async function written(count = 0): Promise<AuditLine[]> {
  const lines: AuditLine[] = [];
  const write = (line: string) => Promise.resolve(void lines.push(AuditLineSchema.parse(JSON.parse(line))));
  await waitFor(`${count} lines`, async () => {
    while (await writeNextEvent(app.services, { write }) > 0);
    // Transactions of other tests on the same server delay the lines, because they have older numbers.
    return lines.length >= count;
  });
  return lines;
}

Deno.test("each event is one line of the audit log, in its order and once", async () => {
  const { id, client } = await registerUser(app, "ada@example.com");
  const lines = await written(2);
  const rows = await db.selectFrom("events").select(["id", "kind"]).orderBy("id").execute();
  deepStrictEqual(lines.map(({ id, kind }) => ({ id, kind })), rows);
  deepStrictEqual(lines.map(({ userId }) => userId), rows.map(() => id));
  deepStrictEqual(await written(), []);
  await client.request("/auth/logout", { method: "POST" });
  deepStrictEqual((await written(1)).map(({ kind, details }) => [kind, details.reason]), [["session.ended", "logout"]]);
});

Deno.test("each change of a profile is a line, although changes of one hour are one event", async () => {
  const { client } = await registerUser(app, "ada@example.com");
  await written(2);
  await client.send("PUT", "/api/profile", { bio: "First" });
  await client.send("PUT", "/api/profile", { location: "London" });
  const both = await written(1);
  deepStrictEqual(both.map(({ kind }) => kind), ["user.updated"]);
  await client.send("PUT", "/api/profile", { website: "https://ada.example" });
  const [line] = await written(1);
  deepStrictEqual([line.id, line.details.fields], [both[0].id, ["bio", "location", "website"]]);
});

Deno.test("a line that could not be written is written again, and no later one before it", async () => {
  await registerUser(app, "ada@example.com");
  const broken = { write: () => Promise.reject(new Error("disk full")) };
  const write = async () => await writeNextEvent(app.services, broken) > 0;
  await rejects(waitFor("the failure", write), /disk full/);
  strictEqual((await written(2))[0].kind, "user.registered");
});

Deno.test({
  name: "an event whose transaction commits late is not missed",
  ignore: app.database.engine === "pglite", // which runs one transaction after another
  async fn() {
    const { id } = await registerUser(app, "ada@example.com");
    await written(2);
    const event = { kind: "login.failed", userId: id, client: null } as const;
    const [isRecorded, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const late = db.transaction().execute(async (trx) => {
      await recordEvent(trx, { ...event, details: { reason: "password" } }, app.services.now());
      isRecorded.resolve();
      await mayCommit.promise;
    });
    await isRecorded.promise;
    await recordEvent(db, { ...event, details: { reason: "code" } }, app.services.now());
    deepStrictEqual(await written(), [], "the later one waits for the earlier one");
    mayCommit.resolve();
    await late;
    deepStrictEqual((await written(2)).map(({ details }) => details.reason), ["password", "code"]);
  },
});
