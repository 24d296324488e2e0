import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { sql } from "kysely";
import { restoreAccount } from "../../lib/accounts/account_closing.ts";
import { hashToken } from "../../lib/crypto/token.ts";
import { DAY_SECONDS, MINUTE_SECONDS } from "../../lib/duration.ts";
import { deleteDueAccounts } from "../../lib/accounts/account_deletion.ts";
import { PASSWORD, principalOf, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { quarters } from "../support/images/pictures.ts";
import { openSharedTestApp, openTestInstanceWith } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0" });
const { db, objects } = app.services;
const GRACE_SECONDS = 14 * DAY_SECONDS;

/** Registers someone who has closed their account and logged in again. */
async function close(client: TestClient): Promise<void> {
  strictEqual((await client.request("/api/account", { method: "DELETE" })).status, 202);
}

async function exists(id: string): Promise<boolean> {
  return await db.selectFrom("users").select("id").where("id", "=", id).executeTakeFirst() !== undefined;
}

async function storeFile(client: TestClient, name: string, visibility = "public"): Promise<string> {
  const contentType = "text/plain";
  const response = await client.send("POST", "/api/upload/presign", { filename: name, contentType, visibility });
  const { presignedUrl, key } = await response.json();
  const put = await client.request(new URL(presignedUrl).pathname + new URL(presignedUrl).search, {
    method: "PUT",
    body: name,
    headers: { "Content-Type": contentType },
  });
  strictEqual(put.ok, true, await put.text());
  return key;
}

async function storePhoto(client: TestClient): Promise<void> {
  const body = new FormData();
  body.set(
    "file",
    new File([await quarters().png().toBuffer() as Uint8Array<ArrayBuffer>], "me.png", { type: "image/png" }),
  );
  body.set("type", "avatar");
  const response = await client.request("/api/upload/image", { method: "POST", body });
  strictEqual(response.ok, true, await response.clone().text());
  const { url } = (await response.json()).data ?? {};
  await client.send("PUT", "/api/profile", { avatar: url });
}

async function storedKeys(): Promise<string[]> {
  return (await Array.fromAsync(objects.list())).map(({ key }) => key);
}

/** All rows of all tables, as text. */
async function dump(): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public'
  `.execute(db);
  ok(tables.length > 10);
  const texts = tables.map(async ({ name }) => {
    const { rows } = await sql<{ row: string }>`select t::text as row from ${sql.table(name)} t`.execute(db);
    return rows.map(({ row }) => `${name}: ${row}`);
  });
  return (await Promise.all(texts)).flat().join("\n");
}

/** Runs an action while the object store does not respond. */
async function withFailingStore(act: () => Promise<unknown>): Promise<void> {
  const { delete: original } = objects;
  objects.delete = () => Promise.reject(new Error("the store does not respond"));
  try {
    await act();
  } finally {
    objects.delete = original;
  }
}

Deno.test("an account that is due is deleted, and a last email says so", async () => {
  const { client, id, email } = await registerVerifiedUser(app, "due@example.com");
  await app.deliverMails();
  await close(client);
  app.advance(GRACE_SECONDS - 1);
  await deleteDueAccounts(app.services);
  strictEqual(await exists(id), true);
  app.advance(1);
  strictEqual(await deleteDueAccounts(app.services), 1);
  strictEqual(await exists(id), false);
  const [row] = await db.selectFrom("outbox").select(["user_id", "kind", "status"]).where("kind", "=", "deletion")
    .execute();
  deepStrictEqual(row, { user_id: null, kind: "deletion", status: "pending" });
  await app.deliverMails();
  const last = app.mails.findLast(({ to }) => to === email)!;
  strictEqual(last.subject, "Your Foyer account has been deleted");
  match(last.text, /^As you asked, we’ve deleted .*can’t be restored/s);
  const again = await app.client().send("POST", "/auth/register", { name: "New", email, password: PASSWORD });
  strictEqual(again.status, 201, "the address is free again");
});

Deno.test("without days of grace, a closed account is due at once, and the pages promise no way back", async () => {
  await using instance = await openTestInstanceWith(app, { deletionGraceSeconds: 0 });
  const { client, id, email } = await registerVerifiedUser(app, "at-once@example.com");
  const hasty = instance.client();
  strictEqual((await hasty.send("POST", "/auth/login", { email, password: PASSWORD })).status, 200);
  match(await (await hasty.get("/settings/data")).text(), /delete your account with everything in it/);
  const page = await (await hasty.get("/close-account")).text();
  match(page, /What happens on /);
  doesNotMatch(page, /Changed your mind/);
  match(await (await client.get("/close-account")).text(), /Changed your mind/);
  await close(hasty);
  strictEqual(await deleteDueAccounts(instance.services), 1);
  strictEqual(await exists(id), false);
});

Deno.test("after the deletion no row, object or log line identifies the person", async () => {
  const email = "traceless@example.com";
  const { client, id } = await registerVerifiedUser(app, email, "Traceless Person");
  await client.send("PUT", "/api/profile", { bio: "A secret biography" }, { "User-Agent": "Traceless/1.0" });
  const keys = [await storeFile(client, "traceless.txt"), await storeFile(client, "traceless.txt", "private")];
  const before = await storedKeys();
  await storePhoto(client);
  ok((await storedKeys()).length > before.length);
  await client.send("POST", "/api/users", { name: "Guest", email: "guest-of-traceless@example.org" });
  await app.client().send("POST", "/auth/forgot-password", { email });
  await close(client);
  await app.deliverMails();
  app.advance(GRACE_SECONDS);
  await app.client().send("POST", "/auth/forgot-password", { email });
  const traces = [id, email, hashToken(email), "Traceless", "biography", ...keys];
  const missing = (text: string) => traces.filter((trace) => !text.includes(trace));
  deepStrictEqual(missing(await dump()), [], "the dump finds what is there");

  await deleteDueAccounts(app.services);
  await app.deliverMails();
  const rows = (await dump()).split("\n");
  deepStrictEqual(rows.filter((row) => traces.some((trace) => row.includes(trace))), []);
  deepStrictEqual((await storedKeys()).filter((each) => !before.includes(each) || keys.includes(each)), []);
  const lines = app.logLines.filter((line) => [email, "Traceless Person", "biography"].some((it) => line.includes(it)));
  deepStrictEqual(lines, []);
  ok(rows.some((row) => row.startsWith("events:") && row.includes("user.deleted")), "anonymous events remain");
});

Deno.test("while the store does not respond, the account stays, and later it is deleted", async () => {
  const { client, id } = await registerVerifiedUser(app, "unstorable@example.com");
  await storeFile(client, "stays.txt");
  await close(client);
  app.advance(GRACE_SECONDS);
  await withFailingStore(() => deleteDueAccounts(app.services));
  strictEqual(await exists(id), true);
  match(app.logLines.at(-1)!, /"account not deleted, will retry".*the store does not respond/);
  strictEqual(await deleteDueAccounts(app.services), 0, "leased");
  app.advance(5 * MINUTE_SECONDS);
  await deleteDueAccounts(app.services);
  strictEqual(await exists(id), false);
});

Deno.test("of several instances, one deletes an account and sends the email", async () => {
  const { client, email } = await registerVerifiedUser(app, "deleted-once@example.com");
  await close(client);
  app.advance(GRACE_SECONDS - 1);
  while (await deleteDueAccounts(app.services) > 0); // those of other tests that were never confirmed
  app.advance(1);
  const counts = await Promise.all(Array.from({ length: 8 }, () => deleteDueAccounts(app.services)));
  strictEqual(counts.reduce((sum, count) => sum + count), 1);
  await app.deliverMails();
  strictEqual(app.mails.filter(({ to, subject }) => to === email && subject.includes("deleted")).length, 1);
});

Deno.test("keeping an account races its deletion, and the first wins", async () => {
  for (let round = 0; round < 10; round++) {
    const { client, id, email } = await registerVerifiedUser(app, `race-${round}@example.com`);
    await close(client);
    app.advance(GRACE_SECONDS - 1);
    // Now: a session does not last as long as the grace period.
    await client.send("POST", "/auth/login", { email, password: PASSWORD });
    const principal = await principalOf(app, client);
    app.advance(1);
    // The embedded database runs transactions in the order of their beginnings. Either side begins first in turn.
    const early = round % 2 === 0 ? null : deleteDueAccounts(app.services);
    const [kept] = await Promise.all([
      restoreAccount(app.services, principal).then(() => true, ({ code }) => {
        strictEqual(code, "UNAUTHENTICATED");
        return false;
      }),
      early,
      deleteDueAccounts(app.services),
    ]);
    const row = await db.selectFrom("users").select("deletion_due_at").where("id", "=", id).executeTakeFirst();
    deepStrictEqual(row, kept ? { deletion_due_at: null } : undefined);
  }
});

Deno.test("an account whose deletion has begun can no longer be kept", async () => {
  const { client, id, email } = await registerVerifiedUser(app, "too-late@example.com");
  await storeFile(client, "file.txt");
  await close(client);
  app.advance(GRACE_SECONDS - 1);
  const keep = async () => (await client.request("/api/account/restore", { method: "POST" })).status;
  const logIn = () => client.send("POST", "/auth/login", { email, password: PASSWORD });
  // Now: a session does not last as long as the grace period.
  strictEqual((await logIn()).status, 200);
  app.advance(1);
  await withFailingStore(() => deleteDueAccounts(app.services));
  strictEqual(await keep(), 401, "the session has ended");
  strictEqual((await logIn()).status, 200);
  strictEqual(await keep(), 401, "nor in a new session");
  app.advance(5 * MINUTE_SECONDS);
  await deleteDueAccounts(app.services);
  strictEqual(await exists(id), false);
});

Deno.test("an account that is never confirmed is deleted after 30 days, without an email", async () => {
  const kept = await registerVerifiedUser(app, "confirmed@example.com");
  const { client, id, email } = await registerUser(app, "never@example.com");
  await storeFile(client, "never.txt");
  const invited = { id: "invited", email: "invited@example.com", name: "Guest", password_hash: null };
  const created_at = app.services.now();
  await db.insertInto("users").values({ ...invited, created_at, updated_at: created_at }).execute();
  await app.deliverMails();
  const withDays = (days: number, invitationDays = 7) => ({
    ...app.services,
    config: {
      ...app.services.config,
      unverifiedKeptSeconds: days * DAY_SECONDS,
      invitationTtlSeconds: invitationDays * DAY_SECONDS,
    },
  });
  app.advance(30 * DAY_SECONDS - 1);
  await deleteDueAccounts(app.services);
  deepStrictEqual([await exists(id), await exists("invited")], [true, true]);
  app.advance(1);
  strictEqual(await deleteDueAccounts(withDays(0)), 0);
  strictEqual(await deleteDueAccounts(withDays(30, 31)), 1);
  deepStrictEqual([await exists(id), await exists("invited")], [false, true], "the invitation is still open");
  strictEqual(await deleteDueAccounts(app.services), 1);
  deepStrictEqual([await exists("invited"), await exists(kept.id)], [false, true]);
  deepStrictEqual((await storedKeys()).filter((key) => key.startsWith(`uploads/${id}/`)), []);
  const mails = app.mails.length;
  await app.deliverMails();
  deepStrictEqual(app.mails.slice(mails).filter(({ to }) => to === email || to === invited.email), []);
});
