import { strictEqual } from "node:assert/strict";
import type { TestApp } from "./test_app.ts";
import type { TestClient } from "./test_client.ts";

export const PASSWORD = "Correct-horse-7";

/** A registered user and the client that holds their session. */
export interface Registered {
  client: TestClient;
  id: string;
  email: string;
}

/** Registers a user through the API. */
export async function registerUser(app: TestApp, email: string, name = "Ada Lovelace"): Promise<Registered> {
  const client = app.client();
  const response = await client.send("POST", "/auth/register", { name, email, password: PASSWORD });
  const body = await response.json();
  strictEqual(response.status, 201, JSON.stringify(body));
  return { client, id: body.user.id, email };
}

/** Registers a user and verifies the address through the emailed link. */
export async function registerVerifiedUser(app: TestApp, email: string, name?: string): Promise<Registered> {
  const registered = await registerUser(app, email, name);
  const token = await mailedToken(app, email);
  const response = await registered.client.send("POST", "/auth/verify-email", { email, token });
  strictEqual(response.status, 200, await response.text());
  return registered;
}

/** Delivers the emails that are due and returns the token in the last one to the address. */
export async function mailedToken(app: TestApp, email: string): Promise<string> {
  while (await app.deliverMails() > 0);
  const mail = app.mails.findLast(({ to }) => to === email);
  const link = mail?.text.match(/https?:\/\/\S+/)?.[0];
  if (link === undefined) throw new Error(`No link was emailed to ${email}`);
  return new URL(link).searchParams.get("token")!;
}
