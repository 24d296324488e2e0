import { strictEqual } from "node:assert/strict";
import { TOTP } from "otpauth";
import { v7 } from "uuid";
import { logIn, registerVerifiedUser } from "./accounts.ts";
import type { TestApp } from "./test_app.ts";
import type { TestClient } from "./test_client.ts";

/** Seconds for which an authenticator app shows one code. */
export const STEP_SECONDS = 30;

/** An authenticator app that is set up, and the recovery codes that came with it. */
export interface AuthenticatorApp {
  secret: string;
  recoveryCodes: string[];
  /** Returns the code that the app shows `steps` steps from now. */
  code(steps?: number): string;
}

/** Registers a user whose account has an authenticator app. */
export async function registerWithTotp(app: TestApp, email: string) {
  const registered = await registerVerifiedUser(app, email);
  return { ...registered, totp: await enableTotp(app, registered.client) };
}

/** Sets up an authenticator app through the API, and moves the clock to the next code. */
export async function enableTotp(app: TestApp, client: TestClient): Promise<AuthenticatorApp> {
  const { secret } = await (await client.request("/api/totp", { method: "POST" })).json();
  const code = (steps = 0) => codeOf(app, secret, steps);
  const response = await client.send("POST", "/api/totp/confirm", { code: code() });
  const body = await response.json();
  strictEqual(response.status, 200, JSON.stringify(body));
  // The alert carries a link. Tests that look for the link of another email must not find it.
  await app.deliverMails();
  app.advance(STEP_SECONDS);
  return { secret, recoveryCodes: body.recoveryCodes, code };
}

/** Returns the code of a secret, `steps` steps from now, as other software computes it. */
export function codeOf({ services }: TestApp, secret: string, steps = 0): string {
  return new TOTP({ secret }).generate({ timestamp: services.now().getTime() + steps * STEP_SECONDS * 1000 });
}

/** Logs in with the password. The client then holds the cookie of the second step. */
export async function startLogin(app: TestApp, email: string, client = app.client()): Promise<TestClient> {
  const response = await logIn(client, email);
  const body = await response.json();
  strictEqual(body.code, "SECOND_FACTOR_REQUIRED", JSON.stringify(body));
  return client;
}

/** The setting under which only people in one group must have a second factor. */
export const DEMANDED = { SECOND_FACTOR: "group:strict" };

/** Puts someone into the group of {@linkcode DEMANDED}. */
export async function demandSecondFactor(app: TestApp, userId: string): Promise<void> {
  await joinGroup(app, userId, "strict");
}

/** Puts someone into a group, which is made if there is none. */
export async function joinGroup({ services: { db, now } }: TestApp, userId: string, name: string): Promise<void> {
  const row = { created_at: now() };
  await db.insertInto("groups").values({ ...row, name, title: name })
    .onConflict((conflict) => conflict.doNothing()).execute();
  await db.insertInto("group_members")
    .values({ ...row, id: v7(), group_name: name, user_id: userId, source: "admin", expires_at: null }).execute();
}

/** The same, long ago. Someone without a second factor can then only set one up. */
export async function makeOverdue(app: TestApp, userId: string): Promise<void> {
  await demandSecondFactor(app, userId);
  await app.services.db.updateTable("users").set({ second_factor_due_at: app.services.now() })
    .where("id", "=", userId).execute();
}

/** Logs in with the second step and trusts the device. Returns the client. */
export async function trustDevice(
  app: TestApp,
  { email, totp }: { email: string; totp: AuthenticatorApp },
  client = app.client(),
): Promise<TestClient> {
  await startLogin(app, email, client);
  const response = await client.send("POST", "/auth/second-factor", { code: totp.code(), trustDevice: true });
  strictEqual(response.status, 200, await response.text());
  app.advance(STEP_SECONDS);
  return client;
}

/** Gives an account an authenticator app that no one has, if it has none, so that its logins need the second step. */
export async function protect({ services: { db, now } }: TestApp, userId: string): Promise<void> {
  await db.insertInto("totp_secrets").values({
    user_id: userId,
    secret: "never decrypted",
    enabled_at: now(),
    pending_secret: null,
    pending_until: null,
  }).onConflict((conflict) => conflict.doNothing()).execute();
}
