import { strictEqual } from "node:assert/strict";
import { PASSWORD, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp();
let wakes = 0;
app.services.outboxSignal.wake = () => void wakes++;

/** Calls the API as a user with a verified address. Returns how often the mail worker was woken. */
async function wakesOf(path: string, body: unknown, status: number): Promise<number> {
  const { client } = await registerVerifiedUser(app, `${crypto.randomUUID()}@example.com`);
  wakes = 0;
  const response = await client.send("POST", path, body);
  strictEqual(response.status, status, await response.text());
  return wakes;
}

Deno.test("registrations and invitations wake the mail worker, so that their emails are sent at once", async () => {
  strictEqual(await wakesOf("/auth/register", { name: "Ada", email: "ada@example.com", password: PASSWORD }, 201), 1);
  strictEqual(await wakesOf("/api/users", { name: "Guest", email: "guest@example.com" }, 201), 1);
});

Deno.test("requests that must not reveal whether an account exists do not wake the mail worker", async () => {
  const { email: verified } = await registerVerifiedUser(app, "verified@example.com");
  const { email: unverified } = await registerUser(app, "unverified@example.com");
  strictEqual(await wakesOf("/auth/forgot-password", { email: verified }, 200), 0);
  strictEqual(await wakesOf("/auth/resend-verification", { email: unverified }, 200), 0);
  while (await app.deliverMails() > 0);
  for (const email of [verified, unverified]) strictEqual(app.mails.filter(({ to }) => to === email).length, 2, email);
});
