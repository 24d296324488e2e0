import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { sql } from "kysely";
import { HOUR_SECONDS, MINUTE_SECONDS, unixSeconds } from "../../lib/duration.ts";
import { issueCode } from "../../lib/mail/links/emailed_code.ts";
import { PAGE_ROWS } from "../../db/row_pages.ts";
import { ExportView } from "../../lib/accounts/export_schema.ts";
import { TABLE_RULES } from "../../db/schema.ts";
import { createToken } from "../support/app/api_tokens.ts";
import { logIn, mailedToken, PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { enableTotp, startLogin } from "../support/app/second_factor.ts";
import { openSharedTestApp, openTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0", LIMIT_EXPORT: "3/3600" });
const { db } = app.services;
const PATH = "/api/account/export";

Deno.test("the export holds everything about the user, as a file", async () => {
  const { client, id, email } = await registerVerifiedUser(app, "export@example.com", "Ada Lovelace");
  await client.send("PUT", "/api/profile", { bio: "Countess" });
  for (const visibility of ["public", "private"]) {
    await client.send("POST", "/api/upload/presign", { filename: "a.txt", contentType: "text/plain", visibility });
  }
  await client.send("POST", "/api/users", { name: "Guest", email: "guest@example.org" });
  const { token } = await createToken(client, { name: "Script" });
  await app.client().send("POST", "/auth/forgot-password", { email });
  const identity = { provider: "default", subject: "https://id.example ada", email: "ada@id.example" };
  await db.insertInto("identities").values({ ...identity, user_id: id, linked_at: app.services.now() }).execute();
  await db.insertInto("posts").values({ title: "T", content: "C", author_id: id, created_at: app.services.now() })
    .execute();
  const response = await client.get(PATH);
  strictEqual(response.status, 200);
  strictEqual(response.headers.get("Content-Disposition"), 'attachment; filename="account.json"');
  strictEqual(response.headers.get("Content-Type"), "application/json");
  strictEqual(response.headers.get("Cache-Control"), "no-store");
  match(response.headers.get("RateLimit-Policy")!, /^"export";q=3;w=3600$/);
  const data = await response.json();
  deepStrictEqual([data.profile.name, data.profile.bio, data.account.email], ["Ada Lovelace", "Countess", email]);
  deepStrictEqual(data.sessions.map(({ method }: { method: string }) => method), ["password"]);
  deepStrictEqual(data.events.map(({ kind }: { kind: string }) => kind).slice(0, 2), [
    "user.registered",
    "session.started",
  ]);
  deepStrictEqual(data.actions.map(({ kind }: { kind: string }) => kind), ["user.registered"]);
  deepStrictEqual(data.uploads.map(({ visibility }: { visibility: string }) => visibility).sort(), [
    "private",
    "public",
  ]);
  for (const { filename, url } of data.uploads) deepStrictEqual([filename, url.startsWith("http")], ["a.txt", true]);
  deepStrictEqual(data.posts.map(({ title, content }: Record<string, string>) => [title, content]), [["T", "C"]]);
  deepStrictEqual(data.emails.map(({ kind }: { kind: string }) => kind).sort(), [
    "reset",
    "token_created",
    "verification",
  ]);
  deepStrictEqual(data.links.map(({ purpose }: { purpose: string }) => purpose), ["verification", "password"]);
  strictEqual(data.devices.length, 1);
  const { id: _id, linkedAt: _linkedAt, ...exported } = data.identities[0];
  deepStrictEqual(exported, identity);
  deepStrictEqual(data.tokens.map(({ name, hint }: Record<string, string>) => [name, hint]), [[
    "Script",
    `${token.slice(0, 10)}…`,
  ]]);
});

Deno.test("the export holds no secret and nothing about other people", async () => {
  const { client, id, email } = await registerVerifiedUser(app, "secretless@example.com");
  await client.send("POST", "/api/users", { name: "Guest Person", email: "other@example.org" });
  await app.client().send("POST", "/auth/forgot-password", { email });
  const invited = await db.selectFrom("users").select("id").where("email", "=", "other@example.org")
    .executeTakeFirstOrThrow();
  const { token } = await createToken(client);
  const secrets = [token, invited.id, "Guest Person", "other@example.org", client.cookies.get("auth_session")!];
  const hashes = [
    await db.selectFrom("users").select("password_hash as value").where("id", "=", id).execute(),
    await db.selectFrom("sessions").select("id as value").where("user_id", "=", id).execute(),
    await db.selectFrom("devices").select("token_hash as value").where("user_id", "=", id).execute(),
    await db.selectFrom("api_tokens").select("token_hash as value").where("user_id", "=", id).execute(),
    await db.selectFrom("password_reset_tokens").select("token_hash as value").where("user_id", "=", id).execute(),
    await db.selectFrom("outbox").select("payload as value").where("user_id", "=", id).execute(),
  ].flat().flatMap(({ value }) => value ?? []);
  ok(hashes.length >= 6);
  const text = await (await client.get(PATH)).text();
  deepStrictEqual([...secrets, ...hashes].filter((secret) => text.includes(secret)), []);
});

Deno.test("the export holds all rows of lists with several pages", async () => {
  const { client, id } = await registerVerifiedUser(app, "long@example.com");
  const count = 2 * PAGE_ROWS;
  const rows = sql`generate_series(1, ${count}::int) n`;
  const uuid = sql`('01000000-0000-7000-8000-' || lpad(n::text, 12, '0'))`;
  const inserts = [
    sql`insert into sessions (id, user_id, method, created_at, expires_at, last_seen_at, authenticated_at)
      select 'long' || n, ${id}, 'password', now(), now(), now(), now() from ${rows}`,
    sql`insert into devices (user_id, token_hash, created_at, expires_at)
      select ${id}, 'long' || n, now(), now() from ${rows}`,
    sql`insert into events (id, user_id, actor_id, kind, details, created_at)
      select ${uuid}, ${id}, ${id}, 'user.updated', '{}', now() from ${rows}`,
    sql`insert into events (id, user_id, actor_id, kind, details, created_at)
      select '02' || substr(${uuid}, 3), null, ${id}, 'user.updated', '{}', now() from ${rows}`,
    sql`insert into uploads (id, key, user_id, filename, content_type, bytes, purpose, expires_at, created_at)
      select ${uuid}, 'uploads/long' || n, ${id}, 'a.txt', 'text/plain', 5, 'file', now(), now() from ${rows}`,
    sql`insert into posts (title, content, author_id, created_at) select 'T', 'C', ${id}, now() from ${rows}`,
    sql`insert into outbox (id, user_id, kind, status, next_attempt_at, expires_at, created_at)
      select ${uuid}, ${id}, 'reset', 'sent', now(), now(), now() from ${rows}`,
  ];
  for (const insert of inserts) await insert.execute(db);
  const data = await (await client.get(PATH)).json();
  for (const list of ["sessions", "devices", "events", "actions", "uploads", "posts", "emails"]) {
    const own = { sessions: 1, devices: 1, events: 3, actions: 0, uploads: 0, posts: 0, emails: 1 }[list]!;
    strictEqual(data[list].length, count + own, list);
  }
});

Deno.test("the export names codes, links, tokens, limits and attempts, without their secrets", async () => {
  await using app = await openTestApp({ LIMIT_MAIL: "20/3600" });
  const { client, id } = await registerVerifiedUser(app, "facts@example.com");
  const { db, config, now } = app.services;
  const token = await createToken(client, { name: "Script" });
  await client.send("POST", "/api/account/email", { email: "facts-new@example.com" });
  await db.transaction().execute((trx) => issueCode(trx, { userId: id, purpose: "reauthentication" }, { config, now }));
  const expires_at = app.services.now();
  const attempt = { id: "hash", purpose: "link" as const, user_id: id, session_ids: [], next: "/settings", expires_at };
  await db.insertInto("provider_attempts").values({ ...attempt, subject: "subject", email: "me@idp.example" })
    .execute();
  const response = await client.get(PATH);
  const text = await response.text();
  const data = JSON.parse(text);
  const at = Math.floor(now().getTime() / 1000);
  const [created, week] = [{ createdAt: at, used: false }, 7 * 24 * HOUR_SECONDS];
  deepStrictEqual(data.emailChanges, [{ email: "facts-new@example.com", ...created, expiresAt: at + week / 7 }]);
  deepStrictEqual(
    data.alertLinks,
    [1, 2].map(() => ({ email: "facts@example.com", ...created, expiresAt: at + week })),
  );
  deepStrictEqual(data.codes, [{ purpose: "reauthentication", tries: 0, expiresAt: at + 10 * MINUTE_SECONDS }]);
  deepStrictEqual(data.providerAttempts, [
    { purpose: "link", subject: "subject", email: "me@idp.example", next: "/settings", expiresAt: at },
  ]);
  deepStrictEqual(data.limits.map(({ policy }: { policy: string }) => policy), [
    "email_change_requested",
    "mail",
    "token_created",
  ]);
  strictEqual(data.limits[1].windowEndsAt, at + HOUR_SECONDS);
  const secrets = [
    ...await db.selectFrom("emailed_codes").select("code_hash as value").execute(),
    ...await db.selectFrom("email_change_tokens").select("token_hash as value").execute(),
    ...await db.selectFrom("not_me_tokens").select("token_hash as value").execute(),
    ...await db.selectFrom("api_tokens").select("token_hash as value").execute(),
    { value: token.token },
  ];
  deepStrictEqual(secrets.filter(({ value }) => text.includes(value)), []);
});

Deno.test("the export names logins that wait for the second factor, links about lost factors and their removal", async () => {
  const { client, email } = await registerVerifiedUser(app, "factors@example.com");
  await enableTotp(app, client);
  const guest = await startLogin(app, email);
  await guest.submit("/second-factor", { action: "lost" });
  await app.client().submit("/factor-reset", { token: await mailedToken(app, email) });
  const { waitingSignIns, factorResetLinks, secondFactor } = await (await client.get(PATH)).json();
  deepStrictEqual(waitingSignIns.map(({ method, tries }: Record<string, unknown>) => [method, tries]), [[
    "password",
    0,
  ]]);
  deepStrictEqual(factorResetLinks.map(({ email, used }: Record<string, unknown>) => [email, used]), [
    [email, true],
    [email, false],
  ]);
  strictEqual(secondFactor.removalDueAt, unixSeconds(app.services.now()) + 72 * HOUR_SECONDS);
});

Deno.test("every table about users is part of the export", async () => {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name in ('user_id', 'author_id', 'actor_id') group by table_name
  `.execute(db);
  deepStrictEqual(rows.filter(({ name }) => TABLE_RULES[name].exported === undefined), []);
  const fields = Object.values(TABLE_RULES).flatMap(({ exported }) => exported ? [exported.as] : []);
  deepStrictEqual(fields.filter((field) => !(field in ExportView.shape)), []);
});

Deno.test("the export requires a session and a recent proof, and is limited", async () => {
  strictEqual((await app.client().get(PATH)).status, 401);
  const { client } = await registerVerifiedUser(app, "limited-export@example.com");
  app.advance(15 * MINUTE_SECONDS + 1);
  const unproved = await client.get(PATH);
  deepStrictEqual([unproved.status, (await unproved.json()).code], [403, "REAUTHENTICATION_REQUIRED"]);
  const page = await client.get("/settings/data/export");
  deepStrictEqual([page.status, page.headers.get("Location")], [
    303,
    "/reauthenticate?next=%2Fsettings%2Fdata%2Fexport",
  ]);
  await client.send("POST", "/auth/reauthenticate", { password: PASSWORD });
  const statuses: number[] = [];
  for (const path of [PATH, "/settings/data/export", PATH, PATH]) statuses.push((await client.get(path)).status);
  deepStrictEqual(statuses, [200, 200, 200, 429]);
  app.advance(HOUR_SECONDS);
  await client.send("POST", "/auth/reauthenticate", { password: PASSWORD });
  strictEqual((await client.get(PATH)).status, 200);
});

Deno.test("a closing account can be exported", async () => {
  const { client, email } = await registerVerifiedUser(app, "export-closing@example.com");
  await client.request("/api/account", { method: "DELETE" });
  await logIn(client, email);
  const { account } = await (await client.get(PATH)).json();
  strictEqual(typeof account.deletionDueAt, "number");
});
