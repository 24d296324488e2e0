import { strictEqual } from "node:assert/strict";
import type { Principal } from "../../../lib/access/principal.ts";
import { findPresentedSessions } from "../../../lib/access/session.ts";
import type { Mail } from "../../../lib/services/services.ts";
import { SOME_CLIENT } from "./some_client.ts";
import type { TestApp, UsedApp } from "./test_app.ts";
import type { TestClient } from "./test_client.ts";

export const PASSWORD = "Correct-horse-7";

/** A registered user and the client that holds their session. */
export interface Registered {
  client: TestClient;
  id: string;
  email: string;
}

/** Registers a user through the API. */
export async function registerUser(app: UsedApp, email: string, name = "Ada Lovelace"): Promise<Registered> {
  const client = app.client();
  const response = await client.send("POST", "/auth/register", { name, email, password: PASSWORD });
  const body = await response.json();
  strictEqual(response.status, 201, JSON.stringify(body));
  return { client, id: body.user.id, email };
}

/** Registers a user and verifies the address through the emailed link. */
export async function registerVerifiedUser(app: UsedApp, email: string, name?: string): Promise<Registered> {
  const registered = await registerUser(app, email, name);
  const token = await mailedToken(app, email);
  const response = await registered.client.send("POST", "/auth/verify-email", { email, token });
  strictEqual(response.status, 200, await response.text());
  return registered;
}

/** Registers a user who has no password, as someone who logs in with a provider. */
export async function registerWithoutPassword(app: UsedApp, email: string): Promise<Registered> {
  const registered = await registerVerifiedUser(app, email);
  const { db } = app.services;
  await db.updateTable("users").set({ password_hash: null }).where("id", "=", registered.id).execute();
  return registered;
}

/** Logs in with the password, through the API. */
export function logIn(client: TestClient, email: string, password = PASSWORD): Promise<Response> {
  return client.send("POST", "/auth/login", { email, password });
}

/** Whether the client's session opens the account. */
export async function isLoggedIn(client: TestClient): Promise<boolean> {
  return (await client.get("/api/profile")).status === 200;
}

/** Returns the principal of the client's session. */
export async function principalOf({ services }: TestApp, client: TestClient): Promise<Principal> {
  const { current } = await findPresentedSessions(services, [client.cookies.get("auth_session")!]);
  return { user: current!.user, session: current!, client: SOME_CLIENT };
}

/** Delivers the emails that are due and returns the token in the last one to the address. */
export async function mailedToken(app: UsedApp, email: string): Promise<string> {
  return (await mailedLink(app, email, /https?:\/\/\S*[?&]token=\S+/)).searchParams.get("token")!;
}

/** Delivers the emails that are due and returns the path and query of the link in the last one to the address. */
export async function mailedPath(app: TestApp, email: string): Promise<string> {
  const { pathname, search } = await mailedLink(app, email);
  return pathname + search;
}

/** Delivers the emails that are due and returns the last code of eight digits to the address. */
export async function mailedCode(app: UsedApp, email: string): Promise<string> {
  const codes = (await mailsTo(app, email)).map(({ text }) => text.match(/^\d{8}$/m)?.[0]);
  const code = codes.findLast((each) => each !== undefined);
  if (code === undefined) throw new Error(`No code was emailed to ${email}`);
  return code;
}

/** Delivers the emails that are due and returns all to the address. */
export async function mailsTo(app: Pick<UsedApp, "mails" | "deliverMails">, email: string): Promise<Mail[]> {
  await app.deliverMails();
  return app.mails.filter(({ to }) => to === email);
}

/** Delivers the emails that are due and returns the subjects of all to the address. */
export async function subjectsTo(app: Pick<UsedApp, "mails" | "deliverMails">, email: string): Promise<string[]> {
  return (await mailsTo(app, email)).map(({ subject }) => subject);
}

async function mailedLink(app: UsedApp, email: string, pattern = /https?:\/\/\S+/): Promise<URL> {
  const link = (await mailsTo(app, email)).at(-1)?.text.match(pattern)?.[0];
  if (link === undefined) throw new Error(`No link was emailed to ${email}`);
  return new URL(link);
}
