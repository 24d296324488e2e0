import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { createLocalJWKSet, decodeJwt, jwtVerify } from "jose";
import { Webhook } from "standardwebhooks";
import { DAY_SECONDS } from "../../../lib/duration.ts";
import { runDueFactorResets } from "../../../lib/sign_in/second_factor/factor_reset.ts";
import type { WebhookMessage } from "../../../lib/services/services.ts";
import { logIn, mailedCode, mailedToken, mailsTo, PASSWORD } from "../app/accounts.ts";
import { exchange, refresh, tokensIn } from "../app/authorization.ts";
import { answerTo, authorizePath } from "../app/authorize_page.ts";
import { allowDevice, poll } from "../app/devices.ts";
import { requestOptions, sendCredential } from "../app/passkeys.ts";
import { codeOf, STEP_SECONDS } from "../app/second_factor.ts";
import { type SavedPasskey, SoftwareAuthenticator } from "../app/software_authenticator.ts";
import type { TestApp } from "../app/test_app.ts";
import { statusAndCode, type TestClient } from "../app/test_client.ts";
import { deliverDueLogouts } from "../app/logout_receiver.ts";
import { deliverDueWebhooks } from "../webhooks/deliver_due_webhooks.ts";
import { hashOf } from "./recording.ts";
import type { ProviderDoubles } from "./provider_doubles.ts";
import type { Belongings, Entry, Kind, Person, Possession, Recorded, WaysIn } from "./release.ts";

/** An installation that holds a restored backup. */
export interface RestoredWorld {
  app: TestApp;
  providers: ProviderDoubles;
  /** What has been sent to webhooks and apps, by URL. */
  sent: Map<string, WebhookMessage[]>;
}

/** Someone in it, and a new browser. */
interface Visit<K extends Kind> extends RestoredWorld {
  person: Person;
  client: TestClient;
  had: Recorded<K>;
}

/** Goes through each way in, and returns the last response. */
const DOORS: { [K in keyof WaysIn]: (visit: Visit<K>) => Promise<Response> } = {
  password({ person, client, had: { password, device } }) {
    if (device !== undefined) client.cookies.set("device", device);
    return logIn(client, person.email, password);
  },
  passkey: async ({ app, client, had }) => sendCredential(client, await use(app, client, had.passkey)),
  async totp({ app, person, client, had }) {
    app.advance(STEP_SECONDS); // every code works once
    await firstStep(client, person, had.password);
    return await client.send("POST", "/auth/second-factor", { code: codeOf(app, had.secret) });
  },
  async recoveryCode({ person, client, had }) {
    await firstStep(client, person, had.password);
    return await client.send("POST", "/auth/second-factor", { code: had.code });
  },
  async secondPasskey({ app, person, client, had }) {
    await firstStep(client, person, had.password);
    return await client.send("POST", "/auth/second-factor", { credential: await use(app, client, had.passkey) });
  },
  waitingLogin({ app, client, had }) {
    app.advance(STEP_SECONDS);
    client.cookies.set("second_factor", had.cookie);
    return client.send("POST", "/auth/second-factor", { code: codeOf(app, had.secret) });
  },
  async newCode({ app, person: { email }, client }) {
    strictEqual((await client.send("POST", "/auth/code", { email })).status, 200);
    return await client.send("POST", "/auth/code/verify", { email, code: await mailedCode(app, email) });
  },
  code: ({ person: { email }, client, had }) => client.send("POST", "/auth/code/verify", { email, code: had.code }),
  codeLink({ client, had }) {
    client.cookies.set("login_request", had.cookie);
    return client.send("POST", "/auth/code/link", { token: had.token });
  },
  link: ({ person: { email }, client, had }) => client.send("POST", "/auth/link", { email, token: had.token }),
  provider: ({ app, providers, client, had: { provider, person } }) =>
    providers.signIn(app, { provider, person, client }),
  invitation: ({ person: { email }, client, had }) =>
    client.send("POST", "/auth/reset-password", { email, token: had.token, password: PASSWORD }),
  async reset({ person: { email }, client, had }) {
    const reset = await client.send("POST", "/auth/reset-password", { email, token: had.token, password: PASSWORD });
    return reset.ok ? await logIn(client, email) : reset;
  },
  verification: ({ person, client, had }) => confirmAddress(client, person, had),
  async waitingEmail({ app, person, client, had }) {
    return await confirmAddress(client, person, { ...had, token: await mailedToken(app, person.email) });
  },
};

/** Checks each of the other things. */
const CHECKS: { [K in keyof Belongings]: (visit: Visit<K>) => Promise<void> } = {
  async session({ person, client, had: { cookie, status = 200 } }) {
    client.cookies.set("auth_session", cookie);
    const response = await client.get("/api/profile");
    strictEqual(response.status, status);
    if (status === 200) strictEqual((await response.json()).user.id, person.id);
  },
  async knownBrowser({ app, person: { email }, client, had }) {
    const before = (await mailsTo(app, email)).length;
    client.cookies.set("device", had.cookie);
    strictEqual((await logIn(client, email, had.password)).status, 200);
    strictEqual((await mailsTo(app, email)).length, before, "a known browser causes no alert");
    strictEqual((await logIn(app.client(), email, had.password)).status, 200);
    strictEqual((await mailsTo(app, email)).length, before + 1, "another one does");
  },
  async role({ person, client, had }) {
    strictEqual((await logIn(client, person.email, had.password)).status, 200);
    const response = await client.get("/api/admin/users?limit=1");
    strictEqual(response.status, had.role === "admin" ? 200 : 403);
  },
  async apiToken({ person, client, had: { token, path = "/api/profile", status = 200 } }) {
    const response = await client.get(path, bearer(token));
    strictEqual(response.status, status);
    if (response.ok && path === "/api/profile") strictEqual((await response.json()).user.id, person.id);
  },
  async accessToken({ app, person, client, had: { token, audience } }) {
    const keys = createLocalJWKSet(await (await client.get("/.well-known/jwks.json")).json());
    const { payload } = await jwtVerify(token, keys, { audience, currentDate: app.services.now() });
    strictEqual(payload.sub, person.id);
  },
  async userinfo({ person, client, had }) {
    const response = await client.get("/oauth/userinfo", bearer(had.token));
    strictEqual(response.status, 200);
    strictEqual((await response.json()).sub, person.id);
  },
  async refreshToken({ app, person, had: { clientId, token, secret } }) {
    const proof: Record<string, string> = secret === undefined ? {} : { client_secret: secret };
    const tokens = await tokensIn(refresh(app, clientId, token, proof));
    strictEqual(decodeJwt(tokens.id_token!).sub, person.id);
    notStrictEqual(tokens.refresh_token, token);
    await tokensIn(refresh(app, clientId, tokens.refresh_token!, proof));
  },
  async device({ app, person, client, had: { clientId, code, userCode, cookie } }) {
    client.cookies.set("auth_session", cookie);
    if (userCode !== undefined) await allowDevice(client, userCode);
    const { id_token: idToken } = await tokensIn(poll(app, code, clientId));
    strictEqual(decodeJwt(idToken!).sub, person.id);
  },
  async groups({ client, had: { cookie, names } }) {
    client.cookies.set("auth_session", cookie);
    deepStrictEqual((await (await client.get("/api/account")).json()).data.groups, names);
  },
  async publicFile({ client, had: { path, hash } }) {
    strictEqual(await hashOf(await client.get(path)), hash, path);
  },
  async privateFile({ client, had: { path, hash, session } }) {
    strictEqual((await client.get(path)).status, 404, "a guest");
    client.cookies.set("auth_session", session);
    strictEqual(await hashOf(await client.get(path)), hash, path);
  },
  async fileLink({ client, had }) {
    strictEqual(await hashOf(await client.get(had.path)), had.hash);
  },
  async announcedFile({ client, had: { id, path, text, session } }) {
    const init = { method: "PUT", body: text, headers: { "Content-Type": "text/plain" } };
    strictEqual((await client.request(path, init)).status, 200);
    client.cookies.set("auth_session", session);
    strictEqual((await client.request(`/api/uploads/${id}/confirm`, { method: "POST" })).status, 200);
    const { data } = await (await client.get("/api/uploads")).json();
    ok(data.some((upload: { id: string }) => upload.id === id));
  },
  async profile({ client, had: { cookie, fields } }) {
    client.cookies.set("auth_session", cookie);
    const { user } = await (await client.get("/api/profile")).json();
    deepStrictEqual(Object.fromEntries(Object.keys(fields).map((name) => [name, user[name]])), fields);
  },
  async request({ client, had: { cookie, key, path, body } }) {
    client.cookies.set("auth_session", cookie);
    const response = await client.send("POST", path, body, { "Idempotency-Key": key });
    strictEqual(response.headers.get("Idempotent-Replayed"), "true");
  },
  async newTotp({ app, person, client, had: { cookie, secret, password } }) {
    client.cookies.set("auth_session", cookie);
    strictEqual((await client.send("POST", "/api/totp/confirm", { code: codeOf(app, secret) })).status, 200);
    strictEqual((await statusAndCode(await logIn(app.client(), person.email, password)))[1], "SECOND_FACTOR_REQUIRED");
  },
  async identityLink({ client, had: { cookie, token } }) {
    client.cookies.set("auth_session", cookie);
    const response = await client.submit("/settings/sign-in-methods/confirm", { token });
    strictEqual(response.headers.get("Location"), "/settings/sign-in-methods");
  },
  async consent({ client, had: { cookie, clientId } }) {
    client.cookies.set("auth_session", cookie);
    const { code } = answerTo(await client.get(authorizePath(clientId)));
    match(code, /./, "the app gets its answer at once");
  },
  async authorizationCode({ app, person, had }) {
    const { id_token: idToken } = await tokensIn(exchange(app, had));
    strictEqual(decodeJwt(idToken!).sub, person.id);
  },
  async emailChange({ app, person, client, had: { token, email } }) {
    strictEqual((await client.send("POST", "/auth/confirm-email", { token })).status, 200);
    strictEqual(await outcomeOf(client, await logIn(client, email), person.id), "session");
    strictEqual((await logIn(app.client(), person.email)).status, 401);
  },
  async notMe({ app, person: { id, email }, client, had: { token, password } }) {
    strictEqual((await client.send("POST", "/auth/not-me", { token })).status, 200);
    strictEqual((await logIn(client, email, password)).status, 401);
    const reset = { email, token: await mailedToken(app, email), password: PASSWORD };
    strictEqual((await client.send("POST", "/auth/reset-password", reset)).status, 200);
    strictEqual(await outcomeOf(client, await logIn(client, email), id), "session");
  },
  async factorReset({ app, person: { email }, client, had: { token } }) {
    strictEqual((await client.submit("/factor-reset", { token })).status, 303);
    match((await mailsTo(app, email)).at(-1)!.text, /\/stop-factor-reset\?token=/);
  },
  async stopFactorReset({ client, had: { token } }) {
    strictEqual((await client.submit("/stop-factor-reset", { token })).status, 303);
  },
  async lostFactor({ app, person: { id, email }, client, had: { password } }) {
    strictEqual(await outcomeOf(client, await logIn(client, email, password), id), "second step");
    for (let days = 0; days < 3; days++) {
      app.advance(DAY_SECONDS);
      await runDueFactorResets(app.services); // two reminders, then the removal
    }
    const later = app.client();
    strictEqual(await outcomeOf(later, await logIn(later, email, password), id), "session");
  },
  async webhook({ app, sent, had: { url, secrets, events } }) {
    await deliverDueWebhooks(app.services);
    const messages = sent.get(url)!;
    deepStrictEqual(messages.map(({ body }) => JSON.parse(body).type).slice(0, events.length), events);
    const { headers, body } = messages[0];
    const date = new Date(Number(headers["webhook-timestamp"]) * 1000);
    const signatures = secrets.map((secret) => new Webhook(secret).sign(headers["webhook-id"], date, body));
    deepStrictEqual(headers["webhook-signature"].split(" ").sort(), signatures.sort());
  },
  async logout({ app, sent, person, had: { url, clientId } }) {
    await deliverDueLogouts(app.services);
    const tokens = sent.get(url)!.map(({ body }) => new URLSearchParams(body).get("logout_token")!).map(decodeJwt);
    ok(tokens.some(({ sub, aud }) => sub === person.id && aud === clientId));
  },
};

/** Checks that someone still has something. */
export async function check(world: RestoredWorld, person: Person, had: Possession): Promise<void> {
  const visit = { ...world, person, client: world.app.client(), had };
  const { kind } = had;
  if (!isWayIn(kind)) return await (CHECKS[kind] as (visit: unknown) => Promise<void>)(visit);
  const response = await (DOORS[kind] as (visit: unknown) => Promise<Response>)(visit);
  const { outcome = "session" } = had as Entry;
  strictEqual(await outcomeOf(visit.client, response, person.id), outcome);
}

function isWayIn(kind: Kind): kind is keyof WaysIn {
  return Object.hasOwn(DOORS, kind);
}

/** Says in a word where a browser is after a response. */
async function outcomeOf(client: TestClient, response: Response, userId: string): Promise<string> {
  const profile = await client.get("/api/profile");
  const { user, code } = await profile.json();
  if (client.cookies.has("second_factor")) {
    strictEqual(profile.status, 401, "no session before the second step");
    return response.status === 403 && (await response.json()).code === "PROOF_WRONG"
      ? "403 PROOF_WRONG"
      : "second step";
  }
  if (profile.status === 200) return user.id === userId ? "session" : "new account";
  if (code === "ACCOUNT_CLOSING") return "closing session";
  if (code === "SECOND_FACTOR_SETUP_REQUIRED") return "waiting session";
  const text = (await response.text()) || (response.headers.get("Location") ?? "");
  return `${response.status} ${text.startsWith("{") ? JSON.parse(text).code : text}`;
}

async function firstStep(client: TestClient, { email }: Person, password: string): Promise<void> {
  const { code } = await (await logIn(client, email, password)).json();
  strictEqual(code, "SECOND_FACTOR_REQUIRED");
}

async function confirmAddress(
  client: TestClient,
  { email }: Person,
  { token, password }: { token: string; password: string },
): Promise<Response> {
  const response = await client.send("POST", "/auth/verify-email", { email, token });
  strictEqual(response.status, 200, await response.text());
  return await logIn(client, email, password);
}

/** Uses a passkey of the backup. */
async function use(app: TestApp, client: TestClient, passkey: SavedPasskey) {
  const authenticator = await SoftwareAuthenticator.restore(app.services.config.baseUrl, passkey);
  return await authenticator.get(await requestOptions(client));
}

function bearer(token: string): { Authorization: string } {
  return { Authorization: `Bearer ${token}` };
}
