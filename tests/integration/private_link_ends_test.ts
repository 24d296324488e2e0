import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { COMMAND_LINE } from "../../lib/activity/events.ts";
import { removeUser } from "../../lib/admin/removal.ts";
import { suspendUser, unsuspendUser } from "../../lib/admin/suspension.ts";
import { deleteDueAccounts } from "../../lib/accounts/account_deletion.ts";
import { DAY_SECONDS, secondsAfter } from "../../lib/duration.ts";
import { sendAlert } from "../../lib/mail/links/alert.ts";
import { revokeSecrets } from "../../lib/installation/secrets.ts";
import { sealLink } from "../../lib/uploads/private/link_token.ts";
import { keepAccount } from "../../lib/users/user_changes.ts";
import { mailedToken, PASSWORD, type Registered, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { createToken } from "../support/app/api_tokens.ts";
import { SOME_CLIENT } from "../support/app/some_client.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import { setRowsSince, sweepAllUploads, sweepWholeStore, uploaderOf } from "../support/uploads/upload_world.ts";

/** Every way in which links to private files end. No link comes back with what has ended. */
const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0", SIGN_IN_CODES: "true" });
const { services } = app;
const { db } = services;
const NEW_PASSWORD = "Another-horse-8";

/** Someone with a private file, and a link to it. */
interface Sharer extends Registered {
  fileId: string;
  link: string;
}

async function makeLink({ client }: Pick<Registered, "client">, fileId: string): Promise<string> {
  const response = await client.send("POST", `/api/uploads/${fileId}/link`, { expiresIn: 7 * DAY_SECONDS });
  const { data } = await response.json();
  strictEqual(response.status, 200);
  return data.url;
}

/** Returns the status that a stranger gets. */
async function open(url: string): Promise<number> {
  const { pathname, search } = new URL(url);
  return (await app.client().get(pathname + search)).status;
}

const act = ({ id }: Registered) => ({ who: id, by: COMMAND_LINE, reason: "a report" });

async function logIn({ client, email }: Registered, password = PASSWORD): Promise<void> {
  strictEqual((await client.send("POST", "/auth/login", { email, password })).status, 200);
}

/** Closes an account whose link must stay dead when its owner keeps it. */
async function restore(person: Registered): Promise<void> {
  await logIn(person);
  strictEqual((await person.client.send("POST", "/api/account/restore", {})).status, 200);
}

async function resetPassword(person: Registered): Promise<void> {
  const { client, email } = person;
  await client.send("POST", "/auth/forgot-password", { email });
  const body = { email, token: await mailedToken(app, email), password: NEW_PASSWORD };
  strictEqual((await client.send("POST", "/auth/reset-password", body)).status, 200);
}

async function reportNotMe({ id, email }: Registered): Promise<void> {
  await app.deliverMails();
  await db.transaction().execute((trx) =>
    sendAlert(trx, services, { kind: "password_changed", userId: id, client: SOME_CLIENT, now: services.now() })
  );
  const token = await mailedToken(app, email);
  strictEqual((await app.client().send("POST", "/auth/not-me", { token })).status, 200);
}

/** A way in which links end, and how what has ended comes back. */
interface End {
  /** Whether the address is not confirmed before. */
  isUnverified?: true;
  end(person: Sharer): Promise<unknown>;
  /** What could bring the links back. */
  undo?(person: Sharer): Promise<unknown>;
  /** Whether the file is gone, so that its owner can make no new link. */
  isGone?: true;
}

const ENDS: Record<string, End> = {
  "its owner revokes it": {
    end: async ({ client, fileId }) => {
      strictEqual((await client.request(`/api/uploads/${fileId}/links`, { method: "DELETE" })).status, 204);
    },
  },
  "a program revokes it": {
    end: async ({ client, fileId }) => {
      const { headers } = await createToken(client, { scopes: ["uploads:write"] });
      const path = `/api/uploads/${fileId}/links`;
      strictEqual((await app.client().request(path, { method: "DELETE", headers })).status, 204);
    },
  },
  "the file is deleted": {
    end: ({ client, fileId }) => client.request(`/api/uploads/${fileId}`, { method: "DELETE" }),
    isGone: true,
  },
  "the file is discarded on the page": {
    end: ({ client, fileId }) => client.submit("/uploads", { action: "delete", [fileId]: "on" }),
    undo: ({ client }) => client.submit("/uploads", { action: "restore" }),
  },
  "the file is discarded, and the time to undo is over": {
    end: async ({ client, fileId }) => {
      await client.submit("/uploads", { action: "delete", [fileId]: "on" });
      app.advance(600);
      await sweepAllUploads(services);
    },
    isGone: true,
  },
  "its owner closes the account": {
    end: ({ client }) => client.request("/api/account", { method: "DELETE" }),
    undo: restore,
  },
  "an operator closes the account": {
    end: (person) => removeUser(services, { ...act(person), now: false }),
    undo: restore,
  },
  "an operator deletes the account": {
    end: (person) => removeUser(services, { ...act(person), now: true }),
    isGone: true,
  },
  "the deletion of a closed account is due": {
    end: async ({ client, id }) => {
      await client.request("/api/account", { method: "DELETE" });
      await db.updateTable("users").set({ deletion_due_at: services.now() }).where("id", "=", id).execute();
      await deleteDueAccounts(services);
    },
    isGone: true,
  },
  "the account is suspended": {
    end: (person) => suspendUser(services, act(person)),
    undo: async (person) => {
      await unsuspendUser(services, act(person));
      await logIn(person);
    },
  },
  "its owner follows “This wasn’t me”": {
    end: reportNotMe,
    undo: async (person) => {
      await resetPassword(person);
      await logIn(person, NEW_PASSWORD);
    },
  },
  "the closed account is taken back with “This wasn’t me”": {
    end: async ({ client, id }) => {
      await client.request("/api/account", { method: "DELETE" });
      const now = services.now();
      await db.transaction().execute((trx) => keepAccount(trx, { id, firstDueAt: now, now }));
    },
    undo: (person) => logIn(person),
  },
  "the password is reset": { end: resetPassword, undo: (person) => logIn(person, NEW_PASSWORD) },
  "the address is confirmed": {
    isUnverified: true,
    end: async ({ client, email }) => {
      const body = { email, token: await mailedToken(app, email) };
      strictEqual((await client.send("POST", "/auth/verify-email", body)).status, 200);
    },
  },
  "someone else proves that the address is theirs": { isUnverified: true, end: resetPassword, isGone: true },
  "an operator revokes all secrets": {
    end: () => revokeSecrets(services, COMMAND_LINE),
    undo: (person) => logIn(person),
  },
};

async function register(isVerified = true): Promise<Sharer> {
  const email = `${crypto.randomUUID()}@example.com`;
  const person = await (isVerified ? registerVerifiedUser : registerUser)(app, email);
  const { id: fileId } = await uploaderOf(app, person).store("hello", "private");
  return { ...person, fileId, link: await makeLink(person, fileId) };
}

for (const [name, { isUnverified, end, undo, isGone }] of Object.entries(ENDS)) {
  Deno.test(`a link ends when ${name}`, async () => {
    const person = await register(!isUnverified);
    const other = await register();
    deepStrictEqual([await open(person.link), await open(other.link)], [200, 200]);
    await end(person);
    strictEqual(await open(person.link), 404, "before anything is undone");
    await undo?.(person);
    strictEqual(await open(person.link), 404, "afterward");
    if (isGone) {
      const { status } = await person.client.send("POST", `/api/uploads/${person.fileId}/link`, {});
      strictEqual([401, 404].includes(status), true, String(status));
    } else {
      strictEqual(await open(await makeLink(person, person.fileId)), 200, "a new link works");
    }
    if (name !== "an operator revokes all secrets") {
      strictEqual(await open(other.link), 200, "the link of someone else");
    }
  });
}

Deno.test("a link goes on when sessions, the password or the token that made it end", async () => {
  const person = await register();
  const { client, fileId } = person;
  const { headers, id: tokenId } = await createToken(client, { scopes: ["uploads:write"] });
  const response = await app.client().request(`/api/uploads/${fileId}/link`, { method: "POST", headers });
  const { data: { url } } = await response.json();
  strictEqual((await client.request(`/api/tokens/${tokenId}`, { method: "DELETE" })).status < 300, true);
  const passwords = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
  strictEqual((await client.send("PUT", "/api/account/password", passwords)).status, 200);
  strictEqual((await client.send("POST", "/auth/logout", {})).status, 200);
  deepStrictEqual([await open(url), await open(person.link)], [200, 200]);
});

Deno.test("a link stays dead when its file gets another row, as after the restore of an older backup", async () => {
  const person = await register();
  const key = new URL(person.link).pathname.slice("/files/".length);
  await db.deleteFrom("uploads").where("key", "=", key).execute();
  strictEqual(await open(person.link), 404, "without a row");
  await setRowsSince(services, new Date(Date.now() + DAY_SECONDS * 1000));
  app.advance((Date.now() + 3 * DAY_SECONDS * 1000 - services.now().getTime()) / 1000);
  await sweepWholeStore(services);
  const { id } = await db.selectFrom("uploads").select("id").where("key", "=", key).executeTakeFirstOrThrow();
  await logIn(person);
  strictEqual(await open(await makeLink(person, id)), 200, "a new link works");
  // The first link has expired meanwhile, so this one takes its place.
  const expiresAt = secondsAfter(services.now(), DAY_SECONDS);
  const old = await sealLink(services, { key, linkNumber: 0 }, { expiresAt, download: false });
  strictEqual(await open(`${services.config.baseUrl}/files/${key}?link=${old}`), 404, "the numbers do not begin again");
});
