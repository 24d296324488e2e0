import { deepStrictEqual } from "node:assert/strict";
import { sql } from "kysely";
import { v7 } from "uuid";
import type { Db } from "../../db/schema.ts";
import { verifyPassword } from "../../lib/crypto/password.ts";
import { createToken } from "../../lib/crypto/token.ts";
import { HOUR_SECONDS, secondsAfter } from "../../lib/duration.ts";
import { addConsent } from "../../lib/grants/consent.ts";
import { insertGrant, type NewGrant, spendCode } from "../../lib/grants/grant.ts";
import { issueAddressToken } from "../../lib/mail/links/address_token.ts";
import { issueCode } from "../../lib/mail/links/emailed_code.ts";
import { issueToken } from "../../lib/mail/links/emailed_token.ts";
import type { MailKind } from "../../lib/mail/kinds.ts";
import { logInWithLink } from "../../lib/sign_in/login_link.ts";
import { logInWithCode } from "../../lib/sign_in/code_login.ts";
import { verifyEmail } from "../../lib/sign_in/email_verification.ts";
import { reportNotMe } from "../../lib/sign_in/not_me.ts";
import { resetPassword } from "../../lib/sign_in/password_reset.ts";
import { signInWithIdp } from "../../lib/sign_in/providers/idp_login.ts";
import { insertUpload, usedBytes } from "../../lib/uploads/quota.ts";
import { PASSWORD, registerUser } from "../support/app/accounts.ts";
import { SOME_CLIENT } from "../support/app/some_client.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

/**
 * Every way to prove that an address is one's own, against every state of the account, which holds something in every
 * table. Half of it is older than the alert that “not me” answers.
 */
const app = await openSharedTestApp({ SIGN_IN_CODES: "true" });
const { services } = app;
const { db, now } = services;
await db.insertInto("groups").values({ name: "staff", title: "Staff", created_at: now() }).execute();

/** What is left of an account: its row, and how many rows of other tables still count. */
type Left = Record<string, unknown>;

/** An account with everything, before anyone proves anything. */
const EVERYTHING: Left = {
  verified: true,
  password: "old",
  name: "Mallory",
  bio: "of a stranger",
  avatar: "https://stranger.example/a.png",
  suspended: false,
  closing: false,
  sessions: 2,
  second_step_challenges: 1,
  api_tokens: 1,
  consents: 2,
  grants: 3,
  device_codes: 1,
  devices: 2,
  passkeys: 2,
  identities: 2,
  group_members: 3,
  totp_secrets: 1,
  recovery_codes: 1,
  factor_resets: 1,
  factor_reset_tokens: 1,
  factor_reset_stop_tokens: 1,
  email_verification_tokens: 2,
  password_reset_tokens: 2,
  login_link_tokens: 2,
  email_change_tokens: 1,
  not_me_tokens: 2,
  emailed_codes: 2,
  provider_attempts: 1,
  uploads: 1,
  outbox: ["verification", "reset", "email_change", "factor_reset", "code", "sign_in_code", "password_changed"],
  events: [],
};

const STATES: Record<string, Left> = {
  unverified: { verified: false },
  invited: { verified: false, password: null },
  verified: {},
  suspended: { suspended: true },
  closing: { closing: true },
};

/** All ways end what acts for the account, and void a waiting change of the address. */
const ACCESS_ENDED = { sessions: 0, second_step_challenges: 0, api_tokens: 0, grants: 0, email_change_tokens: 0 };
const ALL_LINKS_VOID = {
  ...ACCESS_ENDED,
  email_verification_tokens: 0,
  password_reset_tokens: 0,
  login_link_tokens: 0,
  emailed_codes: 0,
  factor_resets: 0,
  factor_reset_tokens: 0,
  factor_reset_stop_tokens: 0,
  outbox: ["password_changed"],
};
const NO_PROFILE = { verified: true, name: "New user", bio: "", avatar: null, devices: 0, passkeys: 0, uploads: 0 };
/** An app with an offline grant has an event. Other grants end with their sessions. */
const ENDED = ["app.ended", "session.ended", "session.ended", "token.ended"];
/** The session of the request stays, but its grant ends. */
const OTHERS_ENDED = ["app.ended", "app.ended", "session.ended", "token.ended"];
const EMPTIED = [...ENDED, "passkey.removed", "passkey.removed", "upload.deleted", "user.verified"];
const PURGED = [...ENDED, "passkey.removed", "passkey.removed", "user.verified"];
/** A login asks for the second step, because the account has an authenticator app. It opens no session yet. */
const SECOND_STEP = { second_step_challenges: 1 };

/** The owner of a verified account gets an alert, and keeps the rest. */
const LINKED = {
  second_step_challenges: 2,
  identities: 3,
  not_me_tokens: 3,
  outbox: ["identity_linked", ...EVERYTHING.outbox as MailKind[]],
  events: ["identity.linked"],
};

const VERIFIED_BY_LINK = {
  ...ACCESS_ENDED,
  email_verification_tokens: 0,
  outbox: ["reset", "factor_reset", "code", "sign_in_code", "password_changed"],
  events: ENDED,
};
const RESET = { ...ALL_LINKS_VOID, password: "new", events: [...ENDED, "password.reset"] };
/** “Not me” removes what is newer than the alert, and emails a link. */
const UNDONE = {
  ...ALL_LINKS_VOID,
  password: null,
  devices: 1,
  passkeys: 1,
  identities: 1,
  totp_secrets: 0,
  recovery_codes: 0,
  consents: 1,
  not_me_tokens: 0,
  password_reset_tokens: 1,
  // What the removed identity has said.
  group_members: 2,
  outbox: ["recovery"],
};
const UNDOING = ["group.left", "passkey.removed", "identity.unlinked", "totp.disabled", "password.changed"];

const LEFT: Record<string, Record<keyof typeof STATES, Left>> = {
  "verification by a stranger": {
    unverified: { ...VERIFIED_BY_LINK, verified: true, passkeys: 0, events: PURGED },
    invited: { ...VERIFIED_BY_LINK, verified: true, passkeys: 0, events: PURGED },
    verified: VERIFIED_BY_LINK,
    suspended: VERIFIED_BY_LINK,
    closing: VERIFIED_BY_LINK,
  },
  "verification in a session": {
    unverified: { ...VERIFIED_BY_LINK, sessions: 1, verified: true, events: [...OTHERS_ENDED, "user.verified"] },
    invited: { ...VERIFIED_BY_LINK, sessions: 1, verified: true, events: [...OTHERS_ENDED, "user.verified"] },
    verified: { ...VERIFIED_BY_LINK, sessions: 1, events: OTHERS_ENDED },
    suspended: { ...VERIFIED_BY_LINK, sessions: 1, events: OTHERS_ENDED },
    closing: { ...VERIFIED_BY_LINK, sessions: 1, events: OTHERS_ENDED },
  },
  "reset": {
    unverified: { ...RESET, ...NO_PROFILE, ...SECOND_STEP, events: [...EMPTIED, "password.reset"] },
    invited: { ...RESET, ...NO_PROFILE, ...SECOND_STEP, name: "Mallory", events: [...EMPTIED, "password.reset"] },
    verified: { ...RESET, ...SECOND_STEP },
    suspended: RESET,
    closing: { ...RESET, ...SECOND_STEP },
  },
  // Where no one gets a new password. To others than the invited, it is a login that changes nothing, or none.
  "login link": {
    unverified: { login_link_tokens: 3 },
    invited: {
      ...ALL_LINKS_VOID,
      ...NO_PROFILE,
      ...SECOND_STEP,
      name: "Mallory",
      events: EMPTIED,
    },
    verified: { second_step_challenges: 2 },
    suspended: { login_link_tokens: 3 },
    closing: { second_step_challenges: 2 },
  },
  "code": {
    unverified: { ...ALL_LINKS_VOID, ...NO_PROFILE, ...SECOND_STEP, password: null, events: EMPTIED },
    invited: { ...ALL_LINKS_VOID, ...NO_PROFILE, ...SECOND_STEP, name: "Mallory", events: EMPTIED },
    // The code is used up. A login to a verified account changes nothing else.
    verified: { ...SECOND_STEP, second_step_challenges: 2, emailed_codes: 1 },
    suspended: { emailed_codes: 1 },
    closing: { second_step_challenges: 2, emailed_codes: 1 },
  },
  "provider": {
    unverified: {
      ...ALL_LINKS_VOID,
      ...NO_PROFILE,
      ...SECOND_STEP,
      name: "Ada at the provider",
      password: null,
      identities: 3,
      events: [...EMPTIED, "identity.linked"],
    },
    invited: {
      ...ALL_LINKS_VOID,
      ...NO_PROFILE,
      ...SECOND_STEP,
      name: "Ada at the provider",
      identities: 3,
      events: [...EMPTIED, "identity.linked"],
    },
    verified: LINKED,
    suspended: {},
    closing: LINKED,
  },
  "not me": {
    unverified: {
      ...UNDONE,
      ...NO_PROFILE,
      events: [...UNDOING, ...ENDED, "passkey.removed", "upload.deleted", "user.verified"],
    },
    invited: {
      ...UNDONE,
      ...NO_PROFILE,
      name: "Mallory",
      events: [...UNDOING.slice(0, 4), ...ENDED, "passkey.removed", "upload.deleted", "user.verified"],
    },
    verified: { ...UNDONE, events: [...UNDOING, ...ENDED] },
    suspended: { ...UNDONE, events: [...UNDOING, ...ENDED] },
    closing: { ...UNDONE, closing: false, events: [...UNDOING, "account.kept", ...ENDED] },
  },
};

interface Filled {
  id: string;
  email: string;
  sessionId: string;
  /** The code that logs in. */
  code: string;
}

const PROOFS: Record<string, (account: Filled) => Promise<unknown>> = {
  "verification by a stranger": (account) => verify(account),
  "verification in a session": (account) => verify(account, account.sessionId),
  "reset": async ({ id: userId, email }) => {
    const token = await issueToken(db, "password_reset_tokens", { userId, ...hour() });
    await resetPassword(services, { email, token, password: "Another-horse-8" }, SOME_CLIENT);
  },
  "login link": async ({ id: userId, email }) => {
    const token = await issueToken(db, "login_link_tokens", { userId, ...hour() });
    await logInWithLink(services, { email, token }, SOME_CLIENT);
  },
  "code": ({ email, code }) => logInWithCode(services, { email, code }, SOME_CLIENT),
  "provider": async ({ email, id }) => {
    const identity = { provider: "third", subject: id, email, emailVerified: true, picture: null, groups: null };
    await signInWithIdp(services, { ...identity, name: "Ada at the provider" }, SOME_CLIENT);
  },
  "not me": async ({ id, email }) => {
    const token = await issueAddressToken(db, "not_me_tokens", { userId: id, email, ...hour() });
    await reportNotMe(services, token, SOME_CLIENT);
  },
};

function refusalOf(way: string, state: string): string | null {
  if (state === "suspended") return "ACCOUNT_SUSPENDED";
  return way === "login link" && state === "unverified" ? "EMAIL_NOT_VERIFIED" : null;
}

for (const [way, prove] of Object.entries(PROOFS)) {
  for (const state of Object.keys(STATES)) {
    Deno.test(`${way}: what is left of an account that is ${state}`, async () => {
      const account = await fill(`${way}-${state}@example.com`.replaceAll(" ", "-"), STATES[state]);
      deepStrictEqual(await leftOf(account.id), { ...EVERYTHING, ...STATES[state] });
      await prove(account).catch((error) => {
        if (error.code !== refusalOf(way, state)) throw error;
      });
      deepStrictEqual(await leftOf(account.id), { ...EVERYTHING, ...STATES[state], ...LEFT[way][state] });
    });
  }
}

/** The lifetime of a token that is issued now. */
function hour() {
  return { now: now(), expiresAt: secondsAfter(now(), HOUR_SECONDS) };
}

async function verify({ id: userId, email }: Filled, currentSessionId?: string): Promise<void> {
  const token = await issueToken(db, "email_verification_tokens", { userId, ...hour() });
  await verifyEmail(services, { email, token, reject: false }, { client: SOME_CLIENT, currentSessionId });
}

async function putIntoGroup(user_id: string, source: string): Promise<void> {
  await db.insertInto("group_members")
    .values({ id: v7(), user_id, group_name: "staff", source, created_at: now(), expires_at: null }).execute();
}

/** Creates an account with rows in every table. */
async function fill(email: string, state: Left): Promise<Filled> {
  const { id: user_id } = await registerUser(app, email, "Mallory");
  const { expiresAt: expires_at } = hour();
  const times = [secondsAfter(now(), -HOUR_SECONDS), now()];
  for (const table of ["sessions", "devices", "email_verification_tokens", "outbox", "events"] as const) {
    await db.deleteFrom(table).where("user_id", "=", user_id).execute();
  }
  await db.updateTable("users").set({
    bio: "of a stranger",
    avatar: "https://stranger.example/a.png",
    email_verified: state.verified !== false,
    suspended_at: state.suspended ? now() : null,
    // Closed since the alert.
    deletion_due_at: state.closing ? secondsAfter(now(), services.config.deletionGraceSeconds) : null,
    ...state.password === null && { password_hash: null },
  }).where("id", "=", user_id).execute();
  const sessionIds = times.map(() => v7());
  await db.insertInto("sessions").values(sessionIds.map((public_id, index) => ({
    id: createToken(),
    public_id,
    user_id,
    created_at: times[index],
    expires_at,
    last_seen_at: times[index],
    client_address: null,
    user_agent: null,
    method: "password" as const,
    authenticated_at: times[index],
  }))).execute();
  await db.insertInto("device_codes").values({
    id: v7(),
    user_code_hash: v7(),
    client_id: "cli",
    scopes: [],
    resource: null,
    client_address: "203.0.113.9",
    user_agent: null,
    interval_seconds: 5,
    user_id,
    created_at: times[1],
    expires_at,
  }).execute();
  await db.insertInto("second_step_challenges")
    .values({ id: createToken(), user_id, method: "password", session_ids: [], expires_at }).execute();
  await db.insertInto("api_tokens").values({
    id: v7(),
    user_id,
    name: "token",
    token_hash: createToken(),
    hint: "foyer_abcd",
    scopes: [],
    created_at: times[0],
    expires_at,
    remind_at: null,
  }).execute();
  for (const [index, created_at] of times.entries()) {
    const consent = { userId: user_id, clientId: `app ${index}`, scopes: ["openid"], now: created_at };
    const allowance = { ...consent, resources: [], resourceScopes: [] };
    const { id: consentId } = await db.transaction().execute((trx) => addConsent(trx, allowance));
    const grant = { consentId, sessionId: sessionIds[index], now: created_at, authTime: created_at };
    await insertSomeGrant(db, { ...consent, ...grant, isOffline: false, expiresAt: null });
    if (index === 0) await insertSomeGrant(db, { ...consent, ...grant, isOffline: true, expiresAt: expires_at });
    await db.insertInto("devices").values({ user_id, token_hash: createToken(), created_at, expires_at }).execute();
    await db.insertInto("passkeys").values({
      id: v7(),
      user_id,
      credential_id: createToken(),
      public_key: "",
      counter: 0,
      transports: [],
      name: "key",
      backed_up: false,
      created_at,
      last_used_at: null,
    }).execute();
    const provider = created_at < now() ? "first" : "second";
    await db.insertInto("identities")
      .values({ user_id, provider, subject: createToken(), email: null, linked_at: created_at }).execute();
    await putIntoGroup(user_id, `provider:${provider}`);
    await issueToken(db, "email_verification_tokens", { userId: user_id, ...hour() });
    await issueToken(db, "password_reset_tokens", { userId: user_id, ...hour() });
    await issueToken(db, "login_link_tokens", { userId: user_id, ...hour() });
    await issueAddressToken(db, "not_me_tokens", { userId: user_id, email, ...hour() });
  }
  for (const table of ["email_change_tokens", "factor_reset_tokens", "factor_reset_stop_tokens"] as const) {
    await issueAddressToken(db, table, { userId: user_id, email, ...hour() });
  }
  await db.insertInto("totp_secrets")
    .values({ user_id, secret: "sealed", enabled_at: now(), pending_secret: null, pending_until: null }).execute();
  await putIntoGroup(user_id, "admin");
  await db.insertInto("recovery_codes").values({ user_id, code_hash: "hash", created_at: now() }).execute();
  await db.insertInto("factor_resets")
    .values({ user_id, due_at: expires_at, next_act_at: expires_at, client_address: "", user_agent: null }).execute();
  await db.insertInto("provider_attempts")
    .values({ id: createToken(), purpose: "link", user_id, session_ids: [], next: null, expires_at }).execute();
  const file = { filename: "a", contentType: "text/plain", declaredBytes: 1, bytes: 1, purpose: "file" } as const;
  await insertUpload(services, { userId: user_id, key: v7(), expiresInSeconds: HOUR_SECONDS, ...file });
  await issueCode(db, { userId: user_id, purpose: "reauthentication" }, services);
  const code = await issueCode(db, { userId: user_id, purpose: "sign_in", email }, services);
  for (const kind of EVERYTHING.outbox as MailKind[]) {
    await db.insertInto("outbox")
      .values({ id: v7(), user_id, kind, payload: "", next_attempt_at: expires_at, expires_at, created_at: now() })
      .execute();
  }
  return { id: user_id, email, sessionId: sessionIds[1], code };
}

/** Inserts a grant whose code has been exchanged. */
async function insertSomeGrant(db: Db, grant: Omit<NewGrant, keyof typeof SOME_GRANT | "codeHash">): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const id = await insertGrant(trx, { ...SOME_GRANT, ...grant, codeHash: createToken() });
    await spendCode(trx, { id, refreshKey: null, now: grant.now });
  });
}

const SOME_GRANT = {
  resource: null,
  redirectUri: "https://app.example/callback",
  codeChallenge: null,
  nonce: null,
  acr: "1",
  amr: ["pwd"],
};

/** Returns what is left of an account in every table that has a column `user_id`. */
async function leftOf(id: string): Promise<Left> {
  const user = await db.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
  const left: Left = {
    verified: user.email_verified,
    password: user.password_hash === null ? null : await isPassword(PASSWORD, user.password_hash) ? "old" : "new",
    name: user.name,
    bio: user.bio,
    avatar: user.avatar,
    suspended: user.suspended_at !== null,
    closing: user.deletion_due_at !== null,
  };
  const { rows: tables } = await sql<{ name: string; columns: string[] }>`
    select table_name as name, array_agg(column_name::text) as columns from information_schema.columns
    where table_schema = 'public' group by table_name having 'user_id' = any(array_agg(column_name::text)) and table_name not in ('search_terms', 'webhook_deliveries') -- follow the user and the events
  `.execute(db);
  for (const { name, columns } of tables) {
    const counts = columns.includes("used") ? sql`not used` : name === "outbox" ? sql`status = 'pending'` : sql`true`;
    const shown = columns.includes("kind") ? sql`kind` : sql`null`;
    const { rows } = await sql<{ kind: string | null }>`
      select ${shown} as kind from ${sql.table(name)} where user_id = ${id} and ${counts}
      ${columns.includes("kind") ? sql`order by id` : sql``}
    `.execute(db);
    left[name] = columns.includes("kind") ? rows.map(({ kind }) => kind) : rows.length;
  }
  // One byte each; files that are marked for deletion do not count.
  return { ...left, uploads: await usedBytes(db, id) };
}

function isPassword(password: string, storedHash: string): Promise<boolean> {
  return verifyPassword(password, { storedHash, iterations: services.config.pbkdf2Iterations, owner: "test" });
}
