import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { withMark } from "../../lib/authorization_server/authorize/seen_mark.ts";
import { MINUTE_SECONDS } from "../../lib/duration.ts";
import { mailedToken, PASSWORD, type Registered, registerVerifiedUser } from "../support/app/accounts.ts";
import { openAuthorizationApp } from "../support/app/authorization.ts";
import { html } from "../support/app/page_forms.ts";
import { readPage } from "../support/app/page_reader.ts";
import { addPasskey, requestOptions } from "../support/app/passkeys.ts";
import { enableTotp } from "../support/app/second_factor.ts";
import type { TestClient } from "../support/app/test_client.ts";
import { startFalseProvider } from "../support/providers/false_provider.ts";
import { consentScreen } from "../support/providers/idp.ts";

/** The pages that people visit before they can agree to an app. */

const provider = await startFalseProvider();
Deno.test.afterAll(() => provider[Symbol.asyncDispose]());
const app = await openAuthorizationApp({ ...provider.env, LOGIN_MAX_ATTEMPTS: "0", SIGN_IN_CODES: "true" });
const client = app.services.config.registrations!.clients.get("wiki")!;
/** The longest query that an app may send. */
const QUERY = `client_id=wiki&redirect_uri=https%3A%2F%2Fapp.example%2Fcallback&state=${"%20".repeat(2_000)}`.slice(
  0,
  4_096,
);
const mark = await withMark(app.services, QUERY, { client, state: QUERY, at: app.services.now(), chosenBy: null });
const REQUEST = `/oauth/authorize?${mark}`;
const NEXT = String(new URLSearchParams({ next: REQUEST }));

function locationOf(response: Response): string {
  ok(response.status === 302 || response.status === 303, String(response.status));
  return response.headers.get("Location")!;
}

async function code(email: string): Promise<string> {
  await app.deliverMails();
  return app.mails.filter(({ to }) => to === email).findLast(({ subject }) => /code/.test(subject))!
    .text.match(/^\d{8}$/m)![0];
}

Deno.test("the longest request of an app, with its mark, survives every way to log in", async () => {
  const { email } = await registerVerifiedUser(app, "ways@example.com");
  const { email: twice, client: enrolled } = await registerVerifiedUser(app, "two-steps@example.com");
  const totp = await enableTotp(app, enrolled);
  strictEqual(REQUEST.length, "/oauth/authorize?".length + 4_096 + "&seen=".length + "mm0uq9pg.".length + 43);
  const ways: Record<string, (guest: TestClient) => Promise<Response>> = {
    "a password": (guest) => guest.submit(`/login?${NEXT}`, { email, password: PASSWORD }),
    "an emailed code": async (guest) => {
      const sent = locationOf(await guest.submit(`/login-code?${NEXT}`, { action: "send", email }));
      ok(sent.endsWith(`&${NEXT}`));
      return await guest.submit(`/login-code?${NEXT}`, { action: "verify", email, code: await code(email) });
    },
    "a second step": async (guest) => {
      const step = locationOf(await guest.submit(`/login?${NEXT}`, { email: twice, password: PASSWORD }));
      strictEqual(step, `/second-factor?${NEXT}`);
      return await guest.submit(step, { code: totp.code() });
    },
    "a session that exists": async (guest) => {
      await guest.submit("/login", { email, password: PASSWORD });
      return await guest.get(`/login?${NEXT}`);
    },
  };
  for (const [name, logIn] of Object.entries(ways)) strictEqual(locationOf(await logIn(app.client())), REQUEST, name);
});

Deno.test("it survives a registration, in another browser too", async () => {
  const email = "new@example.com";
  const guest = app.client();
  strictEqual(locationOf(await guest.submit(`/register?${NEXT}`, { name: "Ada", email, password: PASSWORD })), REQUEST);
  const confirm = { email, token: await mailedToken(app, email), action: "verify" };
  strictEqual(
    locationOf(await app.client().submit("/verify-email", confirm)),
    `/login?${new URLSearchParams({ email })}&${NEXT}`,
  );
  const resent = "resent@example.com";
  const waiting = app.client();
  await waiting.submit("/register", { name: "Ada", email: resent, password: PASSWORD });
  await mailedToken(app, resent);
  await waiting.submit(`/verify-email?${NEXT}`, { email: resent, action: "resend" });
  const again = { email: resent, token: await mailedToken(app, resent), action: "verify" };
  strictEqual(locationOf(await waiting.submit("/verify-email", again)), REQUEST);
});

Deno.test("it survives a proof, also of someone whose session has ended meanwhile", async () => {
  const { client } = await registerVerifiedUser(app, "proves@example.com");
  strictEqual(locationOf(await client.submit(`/reauthenticate?${NEXT}`, { proof_password: PASSWORD })), REQUEST);
  const page = await readPage(client.get(`/reauthenticate?${NEXT}`));
  strictEqual(page.lead, "Then you can continue to the app.");
  for (const path of [`/reauthenticate?${NEXT}`, `/reauthenticate?second=true&${NEXT}`, `/keep-account?${NEXT}`]) {
    strictEqual(locationOf(await app.client().get(path)), `/login?${NEXT}`, path.slice(0, 30));
  }
});

Deno.test("it survives keeping an account that is about to be deleted", async () => {
  const { client, email } = await registerVerifiedUser(app, "kept@example.com");
  strictEqual((await client.request("/api/account", { method: "DELETE" })).status, 202);
  await client.submit("/login", { email, password: PASSWORD });
  match(await html(client, `/keep-account?${NEXT}`), /Keep my account/);
  strictEqual(locationOf(await client.submit(`/keep-account?${NEXT}`, {})), REQUEST);
});

Deno.test("it survives a provider, in cookies that browsers accept", async () => {
  provider.userinfo = { sub: "ada", email: "ada@example.com", email_verified: true, name: "Ada" };
  const guest = app.client();
  const kept = () => [...guest.cookies].filter(([name]) => name.startsWith("idp_attempt_"));
  const starts = [];
  for (let start = 0; start < 2; start++) {
    const screen = await consentScreen(guest, `/auth/idp?${NEXT}`);
    starts.push(provider.consent(screen));
    strictEqual(kept().length, 2, "the cookies of an earlier attempt make way");
    for (const [name, value] of kept()) ok(name.length + value.length < 4_096, String(value.length));
  }
  const { pathname, search } = starts[1];
  strictEqual(locationOf(await guest.get(pathname + search)), REQUEST);

  const denied = app.client();
  const { searchParams } = new URL(await consentScreen(denied, `/auth/idp?${NEXT}`));
  const back = new URLSearchParams({ error: "access_denied", state: searchParams.get("state")! });
  ok(locationOf(await denied.get(`/auth/idp/callback?${back}`)).endsWith(`&${NEXT}`), "people may try another way");
});

Deno.test("a long attempt that lacks a part, or has two of one, is refused", async () => {
  for (const change of [(part: string) => [part].slice(1), (part: string) => [part, `${part.split("=")[0]}=x`]]) {
    const guest = app.client();
    const { pathname, search } = provider.consent(await consentScreen(guest, `/auth/idp?${NEXT}`));
    const cookies = [...guest.cookies].map(([name, value]) => `${name}=${value}`)
      .flatMap((cookie) => /^idp_attempt_[\w-]{12}\.1=/.test(cookie) ? change(cookie) : [cookie]);
    const request = new Request(`http://foyer.test${pathname}${search}`, { headers: { cookie: cookies.join("; ") } });
    const info = { remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 1 } } as Deno.ServeHandlerInfo;
    const response = await app.handler(request, info);
    deepStrictEqual([response.status, (await response.json()).code], [400, "INVALID_STATE"]);
  }
});

const SECOND = `/reauthenticate?second=true&${NEXT}`;

/** Returns the second factor of the session, as access tokens will say it. */
async function secondFactorOf({ id }: Registered): Promise<string | null> {
  const { db } = app.services;
  const rows = await db.selectFrom("sessions").select("second_factor").where("user_id", "=", id).execute();
  return rows.map(({ second_factor }) => second_factor).find((factor) => factor !== null) ?? null;
}

Deno.test("the proof of a second factor shows and accepts nothing else", async () => {
  const registered = await registerVerifiedUser(app, "second@example.com");
  const { client } = registered;
  const totp = await enableTotp(app, client);
  const page = await readPage(client.get(SECOND));
  const { names } = page.form();
  deepStrictEqual(names, ["form_id", "username", "proof_code", "action"]);
  deepStrictEqual(page.buttons.map(({ value }) => value), ["prove"]);
  ok(!page.text.includes("Forgot your password"));
  const refused = await client.submit(SECOND, { proof_password: PASSWORD });
  strictEqual(refused.status, 403);
  const again = await readPage(refused);
  deepStrictEqual(again.form().names, names);
  strictEqual(again.field("proof_code").error, "Enter a code from your authenticator app.");
  ok(again.form().action.startsWith("/reauthenticate?second=true&next="));
  strictEqual((await client.submit(SECOND, {})).status, 403);
  strictEqual((await client.submit(SECOND, { proof_code: "123" })).status, 403);
  strictEqual(await secondFactorOf(registered), null, "none of these has changed the session");
  const filledIn = { proof_password: PASSWORD, proof_code: totp.code() };
  strictEqual(locationOf(await client.submit(SECOND, filledIn)), REQUEST);
  strictEqual(await secondFactorOf(registered), "totp");
});

Deno.test("a passkey is a second factor too", async () => {
  const registered = await registerVerifiedUser(app, "second-passkey@example.com");
  const { client } = registered;
  const { authenticator } = await addPasskey(client);
  const { names } = (await readPage(client.get(SECOND))).form();
  deepStrictEqual(names, ["form_id", "username", "proof_credential"]);
  match(await (await client.submit(SECOND, { proof_password: PASSWORD })).text(), /Use your passkey to continue\./);
  const credential = JSON.stringify(await authenticator.get(await requestOptions(client)));
  strictEqual(locationOf(await client.submit(SECOND, { proof_credential: credential })), REQUEST);
  strictEqual(await secondFactorOf(registered), "passkey");
});

Deno.test("an account without a second factor continues without one", async () => {
  const { client, id } = await registerVerifiedUser(app, "one-factor@example.com");
  strictEqual(locationOf(await client.get(SECOND)), REQUEST);
  strictEqual(locationOf(await client.get("/reauthenticate?second=true")), "/dashboard");
  app.advance(15 * MINUTE_SECONDS + 1);
  const response = await client.submit(SECOND, { proof_password: PASSWORD });
  strictEqual(locationOf(response), REQUEST);
  const { db, now } = app.services;
  const session = await db.selectFrom("sessions").select("authenticated_at").where("user_id", "=", id)
    .executeTakeFirstOrThrow();
  ok(session.authenticated_at < now(), "a password is not what the page asks for");
});

Deno.test("forms of an app's site reach only the pages that check the origin themselves", async () => {
  const post = async (path: string) =>
    await app.client().request(path, { method: "POST", headers: { Origin: "https://app.example" } });
  for (const path of ["/oauth/authorize", "/oauth/logout"]) {
    const response = await post(path);
    ok(response.status !== 403, path);
    strictEqual(response.headers.get("Access-Control-Allow-Origin"), null, path);
  }
  for (const path of ["/oauth/authorize/", "/oauth/authorize/x", "/oauth/Logout", "/logout", "/oauth/other"]) {
    strictEqual((await post(path)).status, 403, path);
  }
});
