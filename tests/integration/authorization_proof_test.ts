import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { decodeJwt } from "jose";
import { PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { connect, giveCode, openAuthorizationApp } from "../support/app/authorization.ts";
import { addPasskey, requestOptions, sendCredential } from "../support/app/passkeys.ts";
import { enableTotp, startLogin } from "../support/app/second_factor.ts";
import type { TestClient } from "../support/app/test_client.ts";

const app = await openAuthorizationApp({ LOGIN_MAX_ATTEMPTS: "0", SIGN_IN_CODES: "true" });
const { db } = app.services;

/** Returns how the person of a session has proved who they are, as both tokens say it. */
async function proofOf(person: TestClient): Promise<unknown[]> {
  const { access_token, id_token } = await connect(app, person, "wiki");
  const [access, id] = [decodeJwt(access_token), decodeJwt(id_token)];
  deepStrictEqual([access.acr, access.amr, access.auth_time], [id.acr, id.amr, id.auth_time]);
  return [id.acr, id.amr];
}

async function ok(sent: Promise<Response>): Promise<void> {
  const response = await sent;
  strictEqual(response.ok, true, await response.text());
}

Deno.test("acr and amr say how the session was opened", async () => {
  const { client, email } = await registerVerifiedUser(app, "ways@example.com");
  deepStrictEqual(await proofOf(client), ["1", ["pwd"]]);
  const { authenticator } = await addPasskey(client);
  const guest = app.client();
  await ok(sendCredential(guest, await authenticator.get(await requestOptions(guest))));
  deepStrictEqual(await proofOf(guest), ["2", ["pop", "user", "mfa"]]);
  app.mails.length = 0;
  const byCode = app.client();
  await ok(byCode.send("POST", "/auth/code", { email }));
  await app.deliverMails();
  const code = app.mails.findLast(({ subject }) => /code/.test(subject))!.text.match(/^\d{8}$/m)![0];
  await ok(byCode.send("POST", "/auth/code/verify", { email, code }));
  deepStrictEqual(await proofOf(byCode), ["1", ["otp"]]);
  await db.updateTable("sessions").set({ method: "idp" } as never).execute();
  deepStrictEqual(await proofOf(client), ["1", undefined]);
});

Deno.test("a second step at the login adds a factor", async () => {
  const { client, email } = await registerVerifiedUser(app, "steps@example.com");
  const totp = await enableTotp(app, client);
  deepStrictEqual(await proofOf(client), ["1", ["pwd"]], "setting up an app is no second step");
  const guest = await startLogin(app, email);
  await ok(guest.send("POST", "/auth/second-factor", { code: totp.code() }));
  deepStrictEqual(await proofOf(guest), ["2", ["pwd", "otp", "mfa"]]);
  const other = await startLogin(app, email);
  await ok(other.send("POST", "/auth/second-factor", { code: totp.recoveryCodes[0] }));
  deepStrictEqual(await proofOf(other), ["2", ["pwd", "otp", "mfa"]]);
  const stored = await db.selectFrom("sessions").innerJoin("users", "users.id", "sessions.user_id")
    .select("second_factor").where("email", "=", email).orderBy("second_factor").execute();
  deepStrictEqual(stored.map(({ second_factor }) => second_factor), ["recovery_code", "totp", null]);
});

Deno.test("a proof in the session adds a factor if it is a second one, and keeps it", async () => {
  const { client } = await registerVerifiedUser(app, "later@example.com");
  const totp = await enableTotp(app, client);
  app.advance(60);
  await ok(client.send("POST", "/auth/reauthenticate", { password: PASSWORD }));
  deepStrictEqual(await proofOf(client), ["1", ["pwd"]]);
  await ok(client.send("POST", "/auth/reauthenticate", { code: totp.code() }));
  deepStrictEqual(await proofOf(client), ["2", ["pwd", "otp", "mfa"]]);
  await ok(client.send("POST", "/auth/reauthenticate", { password: PASSWORD }));
  deepStrictEqual(await proofOf(client), ["2", ["pwd", "otp", "mfa"]]);
});

Deno.test("twenty agreements at once leave one consent, with what all of them asked for", async () => {
  const { client, id } = await registerVerifiedUser(app, "agreements@example.com");
  const scopes = ["openid", "profile", "email", "profile:read"];
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => giveCode(app, client, "phone", { scopes: [scopes[index % 4]] })),
  );
  const consents = await db.selectFrom("consents").select("scopes").where("user_id", "=", id).execute();
  deepStrictEqual(consents.map((consent) => consent.scopes.sort()), [scopes.toSorted()]);
  const events = await db.selectFrom("events").select("id").where("user_id", "=", id)
    .where("kind", "=", "app.authorized").execute();
  strictEqual(events.length, 4);
});
