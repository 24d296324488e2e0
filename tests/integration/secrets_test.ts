import { ok, strictEqual } from "node:assert/strict";
import { sql } from "kysely";
import { logIn, mailedToken, PASSWORD, registerUser } from "../support/app/accounts.ts";
import { registerAdmin } from "../support/app/admins.ts";
import { createToken } from "../support/app/api_tokens.ts";
import { withFailingDatabase } from "../support/database/failing_database.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import { openUploader } from "../support/uploads/upload_world.ts";

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
  await logIn(client, email, "Wrong-horse-77");
  await logIn(client, email);
  secrets.push(client.cookies.get("auth_session")!);
  dumps.push(await dump());
  const response = await client.send("POST", "/auth/reset-password", {
    email,
    token: reset,
    password: "Another-horse-8",
  });
  strictEqual(response.status, 200);
  dumps.push(await dump());

  await logIn(client, email, "Another-horse-8");
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

Deno.test("neither the database nor the log nor a page of the service shows a link to a private file", async () => {
  const admin = await registerAdmin(app);
  const owner = await openUploader(app);
  const { id } = await owner.store("hello", "private");
  const path = `/api/uploads/${id}/link`;
  const key = { "Idempotency-Key": crypto.randomUUID() };
  const made = [await owner.client.send("POST", path, {}, key), await owner.client.send("POST", path, {}, key)];
  made.push(await admin.client.send("POST", `/api/admin/uploads/${id}/link`, { reason: "a report" }));
  const links: URL[] = [];
  for (const response of made) links.push(new URL((await response.json()).data.url));
  const form = { action: "create", expiresIn: "86400", form_id: crypto.randomUUID() };
  strictEqual((await owner.client.submit(`/uploads/${id}`, form)).status, 303);
  const shownOnce = await (await owner.client.get(`/uploads/${id}`)).text();
  links.push(new URL(shownOnce.match(/http:[^"\s]+[?]link=[\w-]+/)![0]));
  const dumps = [await dump()];
  const pages = [await owner.client.get(`/uploads/${id}`)];
  const visit = async (address: string, headers?: HeadersInit) => pages.push(await app.client().get(address, headers));
  for (const { pathname, search } of links) {
    strictEqual(
      (await app.client().get(pathname + search, { Referer: `http://foyer.test${pathname}${search}` })).status,
      200,
    );
    strictEqual((await app.client().request(pathname + search, { method: "HEAD" })).status, 200);
    for (const accept of ["text/html", "application/json"]) {
      const headers = { Accept: accept };
      await withFailingDatabase(app, new Error("broken"), () => visit(pathname + search, headers));
      await visit(`${pathname}x${search}`, headers);
      await visit(`${pathname}${search}x`, headers);
      await visit(`/elsewhere${search}`, headers);
      await visit(`${pathname}%3F${search.slice(1)}`, headers);
      await visit(`/files/uploads/${id}${search}`, headers);
    }
    await app.client().request(pathname + search, { method: "PUT", body: "x" });
    await app.client().request(pathname + search, { method: "POST", body: "x" });
  }
  strictEqual((await owner.client.request(`/api/uploads/${id}/links`, { method: "DELETE" })).status, 204);
  for (const { pathname, search } of links) await visit(pathname + search, { Accept: "text/html" });
  dumps.push(await dump());
  const own = ["/uploads", "/settings/activity", "/api/account/events", "/api/account/export", "/api/uploads"];
  for (const each of own) pages.push(await owner.client.get(each));
  for (const each of ["/admin/events", `/admin/users/${owner.id}`, "/api/admin/events"]) {
    pages.push(await admin.client.get(each));
  }

  const texts = links.map(({ searchParams }) => searchParams.get("link")!);
  strictEqual(new Set(texts).size, 3, "the owner gets the same link twice");
  const log = app.logLines.join("\n");
  ok(log.includes("link=[redacted]") && dumps[1].includes("upload.opened"), "the dump or the log is empty");
  const shown = await Promise.all(pages.map(async (page) => JSON.stringify([...page.headers]) + await page.text()));
  ok(shown.length > 40);
  // Half of a link must not appear either.
  for (const part of texts.flatMap((text) => [text.slice(0, 26), text.slice(26)])) {
    for (const each of [...dumps, log, ...shown]) {
      ok(!each.includes(part), `a link is stored, logged or shown: ${each.slice(0, 300)}`);
    }
  }
});
