import { ok, strictEqual } from "node:assert/strict";
import { sql } from "kysely";
import { mailedToken, PASSWORD, registerUser } from "../support/app/accounts.ts";
import { createToken } from "../support/app/api_tokens.ts";
import { withFailingDatabase } from "../support/database/failing_database.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp();

/** The content of all tables, as text. */
async function dump(): Promise<string> {
  const { db } = app.services;
  const tables = await db.introspection.getTables();
  const rows = await Promise.all(tables.map(({ name }) => sql`select * from ${sql.table(name)}`.execute(db)));
  return JSON.stringify(rows.map(({ rows }) => rows));
}

Deno.test("neither the database nor the log contains a password, a session token, an API token or an emailed token", async () => {
  const secrets: string[] = [PASSWORD, "Another-horse-8", "Wrong-horse-77"];
  const dumps: string[] = [];
  const { client, email } = await registerUser(app, "private@example.com");
  secrets.push(client.cookies.get("auth_session")!);
  dumps.push(await dump());
  const verification = await mailedToken(app, email);
  secrets.push(verification);
  await client.get(`/verify-email?email=${email}&token=${verification}`);
  await client.send("POST", "/auth/verify-email", { email, token: verification });
  await client.send("POST", "/auth/forgot-password", { email });
  dumps.push(await dump());
  const reset = await mailedToken(app, email);
  secrets.push(reset);
  await client.send("POST", "/auth/login", { email, password: "Wrong-horse-77" });
  await client.send("POST", "/auth/login", { email, password: PASSWORD });
  secrets.push(client.cookies.get("auth_session")!);
  dumps.push(await dump());
  const response = await client.send("POST", "/auth/reset-password", {
    email,
    token: reset,
    password: "Another-horse-8",
  });
  strictEqual(response.status, 200);
  dumps.push(await dump());

  await client.send("POST", "/auth/login", { email, password: "Another-horse-8" });
  const { token, headers } = await createToken(client);
  const wrong = `${token.slice(0, -1)}${token.endsWith("0") ? "1" : "0"}`;
  secrets.push(token, wrong, token.slice("foyer_".length));
  strictEqual((await app.client().get("/api/profile", headers)).status, 200);
  strictEqual((await app.client().get("/dashboard", headers)).status, 403);
  strictEqual((await app.client().get("/api/profile", { Authorization: `Bearer ${wrong}` })).status, 401);
  await app.client().get(`/api/profile?access_token=${token}`);
  await app.client().get(`/api/profile?${token}`);
  await withFailingDatabase(app, new Error("broken"), () => app.client().get("/api/profile", headers));
  const form = { tokenName: "Page", "profile:read": "on", expiresInDays: "1", form_id: crypto.randomUUID() };
  await client.submit("/settings/tokens/new", form);
  const page = await (await client.get("/settings/tokens")).text();
  secrets.push(page.match(/foyer_\w{49}/)![0]);
  await app.deliverMails();
  dumps.push(await dump());

  const { rows: [{ password_hash }] } = await sql<{ password_hash: string }>`select password_hash from users`.execute(
    app.services.db,
  );
  const everything = dumps.join("\n") + app.logLines.join("\n");
  ok(everything.includes(email) && everything.includes("verify-email"), "the dump or the log is empty");
  for (const secret of secrets) ok(!everything.includes(secret), "a secret is stored or logged");
  ok(!app.logLines.join("\n").includes(password_hash), "a password hash is logged");
});
