import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import type { EventKind } from "../../lib/activity/kinds.ts";
import { PASSWORD, registerUser } from "../support/app/accounts.ts";
import { DEMO_NAMES, demoEmail, seedDemo } from "../support/app/demo.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp();

Deno.test("the demo has forty people, with photos, files and events, who can log in", async () => {
  await seedDemo(app);
  const { db } = app.services;
  const people = await db.selectFrom("users").select(["email", "avatar", "role"]).execute();
  deepStrictEqual(people.map(({ email }) => email).sort(), DEMO_NAMES.map(demoEmail).sort());
  strictEqual(people.length, 40);
  strictEqual(people.filter(({ avatar }) => avatar !== null).length, 30);
  deepStrictEqual(people.filter(({ role }) => role === "admin").map(({ email }) => email), [demoEmail(DEMO_NAMES[0])]);
  const files = await db.selectFrom("uploads").select("purpose").distinct().execute();
  deepStrictEqual(files.map(({ purpose }) => purpose).sort(), ["avatar", "file", "post"]);
  const kinds = (await db.selectFrom("events").select("kind").distinct().execute()).map(({ kind }) => kind);
  for (
    const kind of [
      "user.registered",
      "login.failed",
      "token.made",
      "upload.stored",
    ] satisfies EventKind[]
  ) {
    ok(kinds.includes(kind), kind);
  }
  const credentials = { email: demoEmail(DEMO_NAMES[0]), password: PASSWORD };
  strictEqual((await app.client().send("POST", "/auth/login", credentials)).status, 200);
});

Deno.test("a database that holds anyone is not seeded", async () => {
  await registerUser(app, "someone@example.com");
  const count = async () => (await app.services.db.selectFrom("users").select("id").execute()).length;
  const before = await count();
  await rejects(seedDemo(app), /The database is not empty/);
  strictEqual(await count(), before);
});
