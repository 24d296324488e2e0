import { strictEqual } from "node:assert/strict";
import { logIn, mailedCode, mailedToken, PASSWORD, registerUser, registerVerifiedUser } from "../app/accounts.ts";
import { createToken } from "../app/api_tokens.ts";
import { connect, giveCode, NOTES } from "../app/authorization.ts";
import { FOREIGN_HASHES } from "../app/foreign_hashes.ts";
import { addPasskey } from "../app/passkeys.ts";
import { enableTotp, registerWithTotp, startLogin } from "../app/second_factor.ts";
import { uploaderOf } from "../uploads/upload_world.ts";
import {
  act,
  arrive,
  askForFactorReset,
  comeFrom,
  command,
  importUser,
  logInWithCode,
  read,
  type Recorder,
  sessionOf,
  startWait,
  uploadImage,
  useSecondFactor,
} from "./recording.ts";
import type { Possession } from "./release.ts";

/** A product of TOKEN_AUDIENCES. */
export const PRODUCT = "reports";
/** Where an app hears of logouts. */
export const LOGOUT_URL = "https://listener.example/logout";
/** How many wrong passwords an account takes. */
export const ACCOUNT_TRIES = 3;
const WEBHOOK_URL = "https://hooks.example/foyer";
const NEW_PASSWORD = "Another-horse-8";

/** People of all kinds, by what is special about them. */
export const PEOPLE: Record<string, Recorder> = {
  async "waits for the removal of a lost factor"({ app }, email) {
    const { id } = await registerWithTotp(app, email);
    await startWait(app, email);
    return { id, had: [{ kind: "lostFactor", password: PASSWORD }] };
  },
  async "has a password"({ app }, email) {
    const { id, client } = await registerVerifiedUser(app, email);
    const device = client.cookies.get("device")!;
    return {
      id,
      had: [
        { kind: "session", cookie: sessionOf(client) },
        { kind: "knownBrowser", cookie: device, password: PASSWORD },
        { kind: "password", password: PASSWORD },
        { kind: "password", password: NEW_PASSWORD, outcome: "401 INVALID_CREDENTIALS" },
        { kind: "newCode" },
      ],
    };
  },
  async "has a password that was hashed with more iterations"({ app }, email) {
    const { config } = app.services;
    const usual = config.pbkdf2Iterations;
    config.pbkdf2Iterations = 2 * usual;
    const { id } = await registerVerifiedUser(app, email);
    config.pbkdf2Iterations = usual;
    return { id, had: [{ kind: "password", password: PASSWORD }] };
  },
  async "has a long profile"({ app }, email) {
    const registered = await registerVerifiedUser(app, email);
    const { id, client } = registered;
    const { user } = await act(registered, "PUT", "/api/profile", {
      name: "Ağça ✨",
      bio: "Two\nlines",
      location: "Zürich",
      website: "https://example.com/me",
      language: "ar",
      emailVisible: false,
    });
    return { id, had: [{ kind: "profile", cookie: sessionOf(client), fields: user }] };
  },
  async "has entered too many wrong passwords"({ app }, email) {
    const { id, client } = await registerVerifiedUser(app, email);
    for (let tries = 0; tries < ACCOUNT_TRIES; tries++) {
      strictEqual((await logIn(app.client(), email, NEW_PASSWORD)).status, 401);
    }
    return {
      id,
      had: [
        { kind: "password", password: PASSWORD, outcome: "429 RATE_LIMITED" },
        { kind: "password", password: PASSWORD, device: client.cookies.get("device") },
      ],
    };
  },
  async "was imported without a password"(world, email) {
    return { id: await importUser(world, { email }), had: [{ kind: "newCode" }] };
  },
  async "has a passkey"({ app }, email) {
    const { id, client } = await registerVerifiedUser(app, email);
    const { authenticator } = await addPasskey(client);
    return {
      id,
      had: [
        { kind: "passkey", passkey: await authenticator.save() },
        { kind: "password", password: PASSWORD },
      ],
    };
  },
  async "has only a passkey, which counts its uses"(world, email) {
    const id = await importUser(world, { email });
    const client = await logInWithCode(world.app, email);
    const { authenticator } = await addPasskey(client, { countsUses: true });
    return { id, had: [{ kind: "passkey", passkey: await authenticator.save() }] };
  },
  async "has an authenticator app"({ app }, email) {
    const { id, totp: { secret, recoveryCodes: [used, unused] } } = await registerWithTotp(app, email);
    await useSecondFactor(app, email, used);
    return {
      id,
      had: [
        { kind: "password", password: PASSWORD, outcome: "second step" },
        { kind: "totp", password: PASSWORD, secret },
        { kind: "recoveryCode", password: PASSWORD, code: used, outcome: "403 PROOF_WRONG" },
        { kind: "recoveryCode", password: PASSWORD, code: unused },
        { kind: "newCode", outcome: "second step" },
      ],
    };
  },
  async "has an authenticator app and a passkey"({ app }, email) {
    const { id, client, totp: { secret } } = await registerWithTotp(app, email);
    const { authenticator } = await addPasskey(client);
    const passkey = await authenticator.save();
    return {
      id,
      had: [
        { kind: "totp", password: PASSWORD, secret },
        { kind: "passkey", passkey },
      ],
    };
  },
  async "came from the default provider"(world, email) {
    return await comeFrom(world, "default", { sub: "first", email, email_verified: true, name: "Ada" });
  },
  async "came from another provider"(world, email) {
    return await comeFrom(world, "contoso", { sub: "second", email, email_verified: true, name: "Ada" });
  },
  async "came from GitHub"(world, email) {
    const emails = [{ email, primary: true, verified: true, visibility: "private" }];
    return await comeFrom(world, "github", { id: 4711, login: "ada", name: "Ada", emails });
  },
  async "came from Microsoft"(world, email) {
    return await comeFrom(world, "microsoft", { sub: "third", email, name: "Ada", xms_edov: true });
  },
  async "has a password and two providers"({ app, providers }, email) {
    const { id, client } = await registerVerifiedUser(app, email);
    const had: Possession[] = [{ kind: "password", password: PASSWORD }];
    for (const provider of ["default", "contoso"]) {
      const person = { sub: email, email, email_verified: true, name: "Ada" };
      strictEqual((await providers.signIn(app, { provider, person, client })).headers.get("Location"), "/dashboard");
      had.push({ kind: "provider", provider, person });
    }
    return { id, had };
  },
  async "came from a provider and has an authenticator app"(world, email) {
    const person = { sub: "fourth", email, email_verified: true, name: "Ada" };
    const { id, client, had } = await arrive(world, "default", person);
    await enableTotp(world.app, client);
    return { id, had: had.map((each) => ({ ...each, outcome: "second step" })) };
  },
  async "is an admin"({ app, admin }) {
    const { id, client } = admin;
    const { token } = await createToken(client, { scopes: ["admin"] });
    const webhook = { url: WEBHOOK_URL, kinds: ["user.registered"] };
    const { data, secret: former } = await act(admin, "POST", "/api/admin/webhooks", webhook);
    const { secret } = await act(admin, "POST", `/api/admin/webhooks/${data.id}/rotate`, {});
    await registerUser(app, "causes-an-event@example.com");
    return {
      id,
      had: [
        { kind: "session", cookie: sessionOf(client) },
        { kind: "role", role: "admin", password: PASSWORD },
        { kind: "apiToken", token, path: "/api/admin/users?limit=1" },
        { kind: "webhook", url: WEBHOOK_URL, secrets: [secret, former], events: ["user.registered"] },
      ],
    };
  },
  async "is suspended"({ app, admin }, email) {
    const { id, client } = await registerVerifiedUser(app, email);
    const { token } = await createToken(client);
    const { authenticator } = await addPasskey(client);
    const cookie = sessionOf(client);
    await act(admin, "POST", `/api/admin/users/${id}/suspend`, { reason: "Spam" });
    const outcome = "403 ACCOUNT_SUSPENDED";
    return {
      id,
      had: [
        { kind: "password", password: PASSWORD, outcome },
        { kind: "passkey", passkey: await authenticator.save(), outcome },
        { kind: "apiToken", token, status: 401 },
        { kind: "session", cookie, status: 401 },
      ],
    };
  },
  async "has closed the account"({ app }, email) {
    const { id, client } = await registerVerifiedUser(app, email);
    const cookie = sessionOf(client);
    strictEqual((await client.request("/api/account", { method: "DELETE" })).status, 202);
    return {
      id,
      had: [
        { kind: "session", cookie, status: 401 },
        { kind: "password", password: PASSWORD, outcome: "closing session" },
      ],
    };
  },
  async "is deleted"({ app, providers }, email) {
    const { id, client } = await registerVerifiedUser(app, email);
    const { token } = await createToken(client);
    const { authenticator } = await addPasskey(client);
    const passkey = await authenticator.save();
    const person = { sub: "gone", email, email_verified: true, name: "Ada" };
    await providers.signIn(app, { provider: "default", person, client });
    await command(app, "users delete", { who: [email], reason: "Asked for it", yes: true, now: true });
    const outcome = "401 INVALID_CREDENTIALS";
    return {
      id,
      had: [
        { kind: "password", password: PASSWORD, outcome },
        { kind: "passkey", passkey, outcome },
        { kind: "apiToken", token, status: 401 },
        { kind: "provider", provider: "default", person, outcome: "new account" },
      ],
    };
  },
  async "has not confirmed the address"({ app }, email) {
    const { id } = await registerUser(app, email);
    const token = await mailedToken(app, email);
    return {
      id,
      had: [
        { kind: "password", password: PASSWORD, outcome: "403 EMAIL_NOT_VERIFIED" },
        { kind: "verification", token, password: PASSWORD },
      ],
    };
  },
  async "has not confirmed the address, but can with a code"({ app }, email) {
    const { id } = await registerUser(app, email);
    return { id, had: [{ kind: "newCode" }] };
  },
  async "is invited"({ app, admin }, email) {
    const { data: { id } } = await act(admin, "POST", "/api/users", { email, name: "Guest" });
    const token = await mailedToken(app, email);
    return {
      id,
      had: [
        { kind: "password", password: PASSWORD, outcome: "401 INVALID_CREDENTIALS" },
        { kind: "invitation", token },
        { kind: "password", password: PASSWORD },
      ],
    };
  },
  async "has asked for a new password"({ app }, email) {
    const { id, client } = await registerVerifiedUser(app, email);
    strictEqual((await app.client().send("POST", "/auth/forgot-password", { email })).status, 200);
    const token = await mailedToken(app, email);
    return {
      id,
      had: [
        { kind: "session", cookie: sessionOf(client) },
        { kind: "reset", token },
        { kind: "reset", token, outcome: "400 INVALID_TOKEN" },
      ],
    };
  },
  async "changes the address"({ app }, email) {
    const { id, client } = await registerVerifiedUser(app, email);
    const newEmail = `new-${email}`;
    strictEqual((await client.send("POST", "/api/account/email", { email: newEmail })).status, 200);
    const token = await mailedToken(app, newEmail);
    return {
      id,
      had: [
        { kind: "password", password: PASSWORD },
        { kind: "emailChange", token, email: newEmail },
      ],
    };
  },
  async "did not change the password"({ app }, email) {
    const { id, client } = await registerVerifiedUser(app, email);
    await app.deliverMails();
    const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    const response = await client.send("PUT", "/api/account/password", change);
    strictEqual(response.status, 200, await response.text());
    return { id, had: [{ kind: "notMe", token: await mailedToken(app, email), password: NEW_PASSWORD }] };
  },
  async "has lost a factor"({ app }, email) {
    const { id } = await registerWithTotp(app, email);
    return { id, had: [{ kind: "factorReset", token: await askForFactorReset(app, email) }] };
  },
  async "stops the removal of a factor"({ app }, email) {
    const { id, totp: { secret } } = await registerWithTotp(app, email);
    const token = await startWait(app, email);
    return {
      id,
      had: [
        { kind: "stopFactorReset", token },
        { kind: "totp", password: PASSWORD, secret },
      ],
    };
  },
  async "has files"({ app }, email) {
    const registered = await registerVerifiedUser(app, email);
    const { id, client } = registered;
    const uploader = uploaderOf(app, registered);
    const session = sessionOf(client);
    const { publicUrl } = await uploader.store("A public file", "public");
    const { id: privateId, publicUrl: privateUrl } = await uploader.store("A private file", "private");
    const { data: link } = await act(registered, "POST", `/api/uploads/${privateId}/link`, { expiresIn: 3_600 });
    const { url: avatar, variants } = await uploadImage(client);
    await act(registered, "PUT", "/api/profile", { name: "Ada", avatar });
    const had: Possession[] = [
      { kind: "privateFile", ...await read(client, privateUrl), session },
      { kind: "fileLink", ...await read(app.client(), link.url) },
    ];
    for (const url of [publicUrl, avatar, ...variants.map((variant) => variant.url)]) {
      had.push({ kind: "publicFile", ...await read(app.client(), url) });
    }
    const text = "A file that arrives later";
    const announced = await uploader.presign({ size: text.length, visibility: "private" });
    const { pathname, search } = new URL(announced.presignedUrl);
    had.push({ kind: "announcedFile", id: announced.id, path: pathname + search, text, session });
    return { id, had };
  },
};

/** Those whose links, codes and tokens end within minutes. Nobody after the last: a delivery would send their email. */
export const HURRIED_PEOPLE: Record<string, Recorder> = {
  // Every login takes as long as the slowest hash that is left. So these are looked at early.
  ...Object.fromEntries(
    Object.entries(FOREIGN_HASHES).map(([kind, { password, passwordHash }]): [string, Recorder] => [
      `was imported with a password of the kind ${kind}`,
      async (world, email) => ({
        id: await importUser(world, { email, passwordHash }),
        had: [{ kind: "password", password }],
      }),
    ]),
  ),
  async "uses apps and programs"({ app }, email) {
    const { id, client } = await registerVerifiedUser(app, email);
    const { token: apiToken } = await createToken(client);
    const { accessToken } = await (await client.send("POST", "/auth/token", { audience: PRODUCT })).json();
    const wiki = await connect(app, client, "wiki", { scopes: ["openid", "profile", "email"] });
    const phone = await connect(app, client, "phone", { scopes: ["openid", "notes:read"], resource: NOTES });
    const portal = await connect(app, client, "portal", { scopes: ["openid", "offline_access"] });
    return {
      id,
      had: [
        { kind: "apiToken", token: apiToken },
        { kind: "accessToken", token: accessToken, audience: PRODUCT },
        { kind: "accessToken", token: phone.access_token, audience: NOTES },
        { kind: "userinfo", token: wiki.access_token },
        { kind: "consent", cookie: sessionOf(client), clientId: "phone" },
        { kind: "refreshToken", clientId: "wiki", token: wiki.refresh_token },
        { kind: "refreshToken", clientId: "phone", token: phone.refresh_token },
        { kind: "refreshToken", clientId: "portal", token: portal.refresh_token },
      ],
    };
  },
  async "is connecting a provider"({ app, providers }, email) {
    const { id, client } = await registerVerifiedUser(app, email);
    const { url } = await (await client.send("POST", "/api/account/identities", { provider: "default" })).json();
    const person = { sub: "fifth", email, email_verified: true, name: "Ada" };
    const { pathname, search } = providers.consent("default", person, url);
    const page = (await client.get(pathname + search)).headers.get("Location")!;
    const token = new URL(page, url).searchParams.get("token")!;
    return {
      id,
      had: [
        { kind: "identityLink", cookie: sessionOf(client), token },
        { kind: "provider", provider: "default", person },
      ],
    };
  },
  async "is setting up an authenticator app"({ app }, email) {
    const { id, client } = await registerVerifiedUser(app, email);
    const { secret } = await (await client.request("/api/totp", { method: "POST" })).json();
    return {
      id,
      had: [
        { kind: "newTotp", cookie: sessionOf(client), secret, password: PASSWORD },
      ],
    };
  },
  async "has sent a request that must not be repeated"({ app }, email) {
    const { id, client } = await registerVerifiedUser(app, email);
    const request = { key: crypto.randomUUID(), path: "/api/tokens", body: { name: "Once", scopes: ["profile:read"] } };
    const headers = { "Idempotency-Key": request.key };
    strictEqual((await client.send("POST", request.path, request.body, headers)).status, 201);
    return { id, had: [{ kind: "request", cookie: sessionOf(client), ...request }] };
  },
  async "has logged out of an app"({ app }, email) {
    const { id, client } = await registerVerifiedUser(app, email);
    await connect(app, client, "listener");
    await client.send("POST", "/auth/logout", {});
    return { id, had: [{ kind: "logout", url: LOGOUT_URL, clientId: "listener" }] };
  },
  async "is at the second step of a login"({ app }, email) {
    const { id, totp: { secret } } = await registerWithTotp(app, email);
    const client = await startLogin(app, email);
    return { id, had: [{ kind: "waitingLogin", cookie: client.cookies.get("second_factor")!, secret }] };
  },
  async "has just allowed an app something"({ app }, email) {
    const { id, client } = await registerVerifiedUser(app, email);
    return { id, had: [{ kind: "authorizationCode", ...await giveCode(app, client, "phone") }] };
  },
  async "has been sent a code"({ app }, email) {
    const { id } = await registerVerifiedUser(app, email);
    strictEqual((await app.client().send("POST", "/auth/code", { email })).status, 200);
    const code = await mailedCode(app, email);
    return { id, had: [{ kind: "code", code }, { kind: "code", code, outcome: "401 INVALID_CREDENTIALS" }] };
  },
  async "waits for an email"({ app }, email) {
    const { id } = await registerUser(app, email);
    return { id, had: [{ kind: "waitingEmail", password: PASSWORD }] };
  },
};
