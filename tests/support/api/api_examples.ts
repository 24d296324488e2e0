import { strictEqual } from "node:assert/strict";
import { findPresentedSessions } from "../../../lib/access/session.ts";
import { createGrant } from "../../../lib/authorization_server/grant.ts";
import { prepareSigningKeys } from "../../../lib/access/signing_keys.ts";
import { hashPassword } from "../../../lib/crypto/password.ts";
import { hashToken } from "../../../lib/crypto/token.ts";
import { COMMAND_LINE } from "../../../lib/activity/events.ts";
import type { Example } from "../../../lib/api/examples.ts";
import { sendTest } from "../../../lib/webhooks/delivery_list.ts";
import { mailedToken, PASSWORD, registerVerifiedUser } from "../app/accounts.ts";
import type { FalseProvider } from "../providers/false_provider.ts";
import { signedIn } from "../providers/idp.ts";
import { codeOf, startLogin, STEP_SECONDS } from "../app/second_factor.ts";
import { SoftwareAuthenticator } from "../app/software_authenticator.ts";
import { quarters } from "../images/pictures.ts";
import type { TestApp } from "../app/test_app.ts";
import type { TestClient } from "../app/test_client.ts";
import { uploaderOf } from "../uploads/upload_world.ts";

const HEADERS = { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" };
const EMAIL = "ada@example.com";
/** The secret of the app. */
export const CLIENT_SECRET = "secret-of-the-wiki";

/** A request to record. `target` replaces the path of the operation. */
interface Call {
  target?: string;
  body?: unknown;
  form?: FormData;
  /** What an app sends as a form. */
  fields?: Record<string, string>;
  authorization?: string;
}

/** Where the examples are recorded. */
interface World {
  app: TestApp;
  provider: FalseProvider;
}

/** Plays a story that uses the whole API, and returns one exchange for each operation. */
export async function recordExamples({ app, provider }: World): Promise<Record<string, Example>> {
  const examples: Record<string, Example> = {};
  const send = async (client: TestClient, key: string, { target, body, form, fields, authorization }: Call = {}) => {
    const [method, path] = key.split(" ");
    app.advance(1);
    const response = await client.request(target ?? path, {
      method,
      body: form ?? (fields && new URLSearchParams(fields)) ?? (body === undefined ? undefined : JSON.stringify(body)),
      headers: {
        ...HEADERS,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...(authorization === undefined ? {} : { "Authorization": authorization }),
      },
    });
    const text = await response.text();
    strictEqual(response.ok || response.status === 302, true, `${key}: ${response.status} ${text}`);
    const result = text === "" ? undefined : JSON.parse(text);
    const recorded = { target, body: body ?? fields, status: response.status, result };
    examples[key] ??= key === "GET /api/openapi.json" ? { status: response.status } : recorded;
    return result;
  };

  await prepareSigningKeys(app.services);
  const ada = app.client();
  const login = { email: EMAIL, password: PASSWORD };
  await send(ada, "POST /auth/register", { body: { name: "Ada Lovelace", ...login } });
  await send(ada, "POST /auth/resend-verification", { body: { email: EMAIL } });
  await send(ada, "POST /auth/verify-email", { body: { email: EMAIL, token: await mailedToken(app, EMAIL) } });
  await send(ada, "POST /auth/login", { body: login });
  await send(ada, "PUT /api/profile", {
    body: { bio: "First programmer.", location: "London", website: "example.com" },
  });
  await send(ada, "GET /api/profile");
  const { data: grace } = await send(ada, "POST /api/users", {
    body: { name: "Grace Hopper", email: "grace@example.com" },
  });
  await send(ada, "GET /api/users", { target: "/api/users?limit=2" });
  await send(ada, "GET /api/users/{id}", { target: `/api/users/${grace.id}` });
  const { data: token } = await send(ada, "POST /api/tokens", { body: { name: "Backup", scopes: ["uploads:read"] } });
  await send(ada, "GET /api/tokens");
  await send(ada, "DELETE /api/tokens/{id}", { target: `/api/tokens/${token.id}` });
  await send(ada, "GET /auth/check");
  await send(ada, "POST /auth/token", { body: { audience: "https://wiki.example.com" } });
  const privateId = await recordUploads(app, send, ada);
  await recordAccount(app, send, ada);
  await recordIdentity({ app, provider }, send);
  await recordSecondFactor(app, send);
  await recordPasskeys(app, send);
  await recordAdministration(app, send, ada, privateId);
  await send(ada, "GET /auth/idp", { target: "/auth/idp?next=/dashboard" });
  await send(ada, "GET /.well-known/openid-configuration");
  await send(ada, "GET /.well-known/oauth-authorization-server");
  await send(ada, "GET /.well-known/jwks.json");
  await recordApp(app, send, ada);
  await send(ada, "GET /api/health");
  await send(ada, "GET /api/health/live");
  await send(ada, "GET /api/health/ready");
  await send(ada, "GET /api/openapi.json");
  await send(ada, "POST /auth/logout");
  return withoutChance(examples);
}

type Send = (client: TestClient, key: string, call?: Call) => ReturnType<typeof JSON.parse>;

/** Returns the id of a private file. */
async function recordUploads(app: TestApp, send: Send, ada: TestClient): Promise<string> {
  const form = new FormData();
  form.set("type", "avatar");
  form.set(
    "file",
    new File([await quarters(undefined, 200, 200).png().toBuffer() as BlobPart], "photo.png", { type: "image/png" }),
  );
  await send(ada, "POST /api/upload/image", { form });
  const { id, presignedUrl } = await send(ada, "POST /api/upload/presign", {
    body: { filename: "notes.txt", contentType: "text/plain", size: 5 },
  });
  const { pathname, search } = new URL(presignedUrl);
  const put = { method: "PUT", body: "hello", headers: { "Content-Type": "text/plain" } };
  strictEqual((await ada.request(pathname + search, put)).status, 200);
  await send(ada, "POST /api/uploads/{id}/confirm", { target: `/api/uploads/${id}/confirm` });
  await send(ada, "GET /api/uploads", { target: "/api/uploads?limit=2" });
  await send(ada, "DELETE /api/uploads/{id}", { target: `/api/uploads/${id}` });
  const { id: privateId } = await uploaderOf(app, { client: ada, id: "", email: EMAIL }).store("hello", "private");
  await send(ada, "POST /api/uploads/{id}/link", {
    target: `/api/uploads/${privateId}/link`,
    body: { expiresIn: 86_400, download: true },
  });
  await send(ada, "DELETE /api/uploads/{id}/links", { target: `/api/uploads/${privateId}/links` });
  return privateId;
}

const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

/** Allows an app to know who someone is. Returns the code. */
async function connectApp({ services }: TestApp, person: TestClient): Promise<string> {
  const { current: session } = await findPresentedSessions(services, [person.cookies.get("auth_session")!]);
  const client = services.config.registrations!.clients.get("wiki")!;
  const request = { scopes: ["openid", "profile"], resource: null, codeChallenge: hashToken(VERIFIER), nonce: null };
  return await services.db.transaction().execute((trx) =>
    createGrant(trx, services, {
      user: session!.user,
      session: session!,
      client,
      request: { ...request, redirectUri: client.redirectUris[0] },
    })
  );
}

/** The app sends its secret in the header. */
async function recordApp(app: TestApp, send: Send, ada: TestClient): Promise<void> {
  const program = app.client();
  const code = await connectApp(app, ada);
  const authorization = `Basic ${btoa(`wiki:${CLIENT_SECRET}`)}`;
  const exchange = {
    grant_type: "authorization_code",
    code,
    redirect_uri: "https://wiki.example.com/callback",
    code_verifier: VERIFIER,
  };
  const tokens = await send(program, "POST /oauth/token", { fields: exchange, authorization });
  const bearer = { authorization: `Bearer ${tokens.access_token}` };
  await send(program, "GET /oauth/userinfo", bearer);
  await send(program, "POST /oauth/userinfo", bearer);
  const token = { fields: { token: tokens.refresh_token }, authorization };
  await send(program, "POST /oauth/introspect", token);
  await send(program, "POST /oauth/revoke", token);
}

async function recordAccount(app: TestApp, send: Send, ada: TestClient): Promise<void> {
  const login = { email: EMAIL, password: PASSWORD };
  await connectApp(app, ada);
  const { data: [wiki] } = await send(ada, "GET /api/account/apps");
  await send(ada, "GET /api/account");
  await send(ada, "DELETE /api/account/apps/{id}", { target: `/api/account/apps/${wiki.id}` });
  const phone = app.client();
  await send(phone, "POST /auth/login", { body: login });
  const { data: sessions } = await send(ada, "GET /api/account/sessions");
  const { id } = sessions.find(({ current }: { current: boolean }) => !current);
  await send(ada, "DELETE /api/account/sessions/{id}", { target: `/api/account/sessions/${id}` });
  await send(ada, "POST /api/account/sessions/end-others");
  await send(ada, "POST /auth/reauthenticate", { body: { password: PASSWORD } });
  await send(ada, "POST /api/account/email", { body: { email: "ada@new.example.com" } });
  await send(ada, "POST /auth/confirm-email", { body: { token: await mailedToken(app, "ada@new.example.com") } });
  await send(ada, "PUT /api/account/password", {
    body: { currentPassword: PASSWORD, newPassword: "Analytical-engine-1843" },
  });
  await send(ada, "POST /auth/not-me", { body: { token: await mailedToken(app, EMAIL) } });
  await send(ada, "POST /auth/forgot-password", { body: { email: EMAIL } });
  await send(ada, "POST /auth/reset-password", { body: { ...login, token: await mailedToken(app, EMAIL) } });
  await send(ada, "POST /auth/login", { body: login });
  await send(ada, "POST /api/account/identities", { body: { provider: "default" } });
  await send(ada, "GET /api/account/events", { target: "/api/account/events?limit=2" });
  await send(ada, "GET /api/account/export");
  await send(ada, "DELETE /api/account");
  await send(ada, "POST /auth/login", { body: login });
  await send(ada, "POST /api/account/restore");
}

async function recordSecondFactor(app: TestApp, send: Send): Promise<void> {
  const email = "mary@example.com";
  const { client } = await registerVerifiedUser(app, email, "Mary Somerville");
  const { secret } = await send(client, "POST /api/totp");
  await send(client, "POST /api/totp/confirm", { body: { code: codeOf(app, secret) } });
  await send(client, "POST /api/totp/recovery-codes");
  const guest = await startLogin(app, email);
  app.advance(STEP_SECONDS);
  await send(guest, "POST /auth/second-factor", { body: { code: codeOf(app, secret) } });
  await send(client, "DELETE /api/totp");
  await send(guest, "POST /auth/code", { body: { email } });
  await app.deliverMails();
  const [code] = app.mails.filter(({ to }) => to === email).map(({ text }) => text.match(/^\d{8}$/m)?.[0] ?? "")
    .filter(Boolean);
  await send(guest, "POST /auth/code/verify", { body: { email, code } });
}

async function recordPasskeys(app: TestApp, send: Send): Promise<void> {
  const { client } = await registerVerifiedUser(app, "hedy@example.com", "Hedy Lamarr");
  const authenticator = new SoftwareAuthenticator(app.services.config.baseUrl);
  const { options } = await send(client, "POST /api/passkeys/options");
  const credential = await authenticator.create(options);
  const { data } = await send(client, "POST /api/passkeys", { body: { name: "Laptop", credential } });
  await send(client, "GET /api/passkeys");
  await send(client, "PATCH /api/passkeys/{id}", { target: `/api/passkeys/${data.id}`, body: { name: "Old laptop" } });
  const guest = app.client();
  const request = await send(guest, "POST /auth/passkey/options");
  await send(guest, "POST /auth/passkey", { body: { credential: await authenticator.get(request.options) } });
  await send(client, "DELETE /api/passkeys/{id}", { target: `/api/passkeys/${data.id}` });
}

/** An account that was created at the provider has no password, until it gets one. */
async function recordIdentity({ app, provider }: World, send: Send): Promise<void> {
  const person = { sub: "katherine", email: "katherine@example.com", email_verified: true, name: "Katherine Johnson" };
  const { client, user } = await signedIn(app, provider, person);
  await send(client, "POST /auth/reauthenticate/code");
  const { data } = await send(client, "GET /api/account/identities");
  const password_hash = await hashPassword(PASSWORD, { iterations: 100_000, owner: "test" });
  await app.services.db.updateTable("users").set({ password_hash }).where("id", "=", user.id).execute();
  await send(client, "DELETE /api/account/identities/{id}", { target: `/api/account/identities/${data[0].id}` });
}

async function recordAdministration(app: TestApp, send: Send, ada: TestClient, privateId: string): Promise<void> {
  await app.services.db.updateTable("users").set({ role: "admin" }).where("email", "=", EMAIL).execute();
  const { data: [grace] } = await send(ada, "GET /api/admin/users", { target: "/api/admin/users?query=grace" });
  await send(ada, "GET /api/admin/users/{id}", { target: `/api/admin/users/${grace.id}` });
  await send(ada, "GET /api/admin/clients");
  await send(ada, "POST /api/admin/clients/{client}/end-grants", {
    target: "/api/admin/clients/wiki/end-grants",
    body: { reason: "Its secret leaked" },
  });
  const act = (name: string, body?: unknown, id = grace.id) =>
    send(ada, `POST /api/admin/users/{id}/${name}`, { target: `/api/admin/users/${id}/${name}`, body });
  await act("suspend", { reason: "Report 17: spam" });
  await act("unsuspend");
  await act("restore", { reason: "The wrong account" });
  await act("end-sessions");
  await act("resend-verification");
  const { data: [mary] } = await send(ada, "GET /api/admin/users", { target: "/api/admin/users?query=mary" });
  await act("reset-factors", { reason: "Lost her phone, called us" }, mary.id);
  await send(ada, "POST /api/admin/uploads/{id}/link", {
    target: `/api/admin/uploads/${privateId}/link`,
    body: { reason: "Report 18: forged invoice" },
  });
  await send(ada, "PUT /api/admin/users/{id}/role", {
    target: `/api/admin/users/${mary.id}/role`,
    body: { role: "admin" },
  });
  await act("send-reset", undefined, mary.id);
  await send(ada, "PUT /api/admin/groups/{name}", { target: "/api/admin/groups/staff", body: { title: "Staff" } });
  await send(ada, "PUT /api/admin/users/{id}/groups", {
    target: `/api/admin/users/${mary.id}/groups`,
    body: { groups: ["staff"], reason: "Works here since May" },
  });
  await send(ada, "GET /api/admin/groups");
  await send(ada, "GET /api/admin/groups/{name}/members", { target: "/api/admin/groups/staff/members" });
  await send(ada, "DELETE /api/admin/groups/{name}", { target: "/api/admin/groups/staff" });
  const { data: [mail] } = await send(ada, "GET /api/admin/mails", {
    target: "/api/admin/mails?status=waiting&limit=1",
  });
  await send(ada, "POST /api/admin/mails/{id}/retry", { target: `/api/admin/mails/${mail.id}/retry` });
  await send(ada, "DELETE /api/admin/users/{id}", {
    target: `/api/admin/users/${grace.id}`,
    body: { reason: "Asked by email" },
  });
  await send(ada, "GET /api/admin/events", { target: "/api/admin/events?kind=account.suspended&limit=1" });
  await recordWebhooks(app, send, ada);
}

async function recordWebhooks(app: TestApp, send: Send, ada: TestClient): Promise<void> {
  const { data: { id } } = await send(ada, "POST /api/admin/webhooks", {
    body: { url: "https://hooks.example.com/events", kinds: ["user.registered", "user.deleted"] },
  });
  await send(ada, "GET /api/admin/webhooks");
  const base = `/api/admin/webhooks/${id}`;
  await send(ada, "POST /api/admin/webhooks/{id}/rotate", { target: `${base}/rotate` });
  await sendTest(app.services, { id, by: COMMAND_LINE });
  const list = { target: `${base}/deliveries` };
  const { data: [delivery] } = await send(ada, "GET /api/admin/webhooks/{id}/deliveries", list);
  await send(ada, "POST /api/admin/webhooks/{id}/deliveries/{delivery}/replay", {
    target: `${base}/deliveries/${delivery.id}/replay`,
  });
  await send(ada, "DELETE /api/admin/webhooks/{id}", { target: base });
}

const CREDENTIAL_PARTS =
  /("(?:id|rawId|clientDataJSON|attestationObject|authenticatorData|signature|userHandle|challenge)":)"(?!019ca953-)[\w-]{20,}"/g;

/** Replaces what differs at every run: ids are numbered, and secrets are left out. */
function withoutChance(examples: Record<string, Example>): Record<string, Example> {
  const numbers = new Map<string, number>();
  const numbered = (id: string) => {
    numbers.set(id, numbers.get(id) ?? numbers.size + 1);
    return `019ca953-9e80-7000-8000-${String(numbers.get(id)).padStart(12, "0")}`;
  };
  const text = JSON.stringify(examples)
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, numbered)
    .replaceAll(/((?:link|signature|state|code_challenge|nonce)=)[\w%-]+/g, "$1...")
    .replaceAll(/("nextCursor":)"[\w-]+"/g, '$1"MDE5Y2E5NTMtOWU4MC03MDAwLTgwMDAtMDAwMDAwMDAwMDA0"')
    .replaceAll(/("token":)"(?!foyer_r_)[\w-]+"/g, '$1"Wm9lX2V4YW1wbGVfdG9rZW5fb2ZfYW5fZW1haWxfMDE"')
    .replaceAll(/http:\/\/(?:127\.0\.0\.1|localhost):(?!8000\b)\d+/g, "https://id.example")
    .replaceAll(/"foyer_r_[\w-]{70}"/g, '"foyer_r_..."')
    .replaceAll(/foyer_\w{49}/g, "foyer_...")
    .replaceAll(/("(?:access|id)_token":)"[^"]+"/g, '$1"eyJ..."')
    .replaceAll(/("n":)"[\w-]{300,}"/g, '$1"xnFk..."')
    .replaceAll(/("[xy]":)"[\w-]{43}"/g, '$1"p4Rq..."')
    .replaceAll(/whsec_[\w+/=]+/g, "whsec_...")
    .replaceAll(/("hint":)"\w+/g, '$1"foyer_Ab12')
    .replaceAll(/("accessToken":)"[^"]+"/g, '$1"eyJ..."')
    .replaceAll(CREDENTIAL_PARTS, '$1"ZXhhbXBsZQ"')
    .replaceAll(/[A-Z2-7]{32}/g, "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
    .replaceAll(/"qr":"(?:[^"\\]|\\.)*"/g, '"qr":"<svg>...</svg>"')
    .replaceAll(/("recoveryCodes":)\[[^\]]*\]/g, '$1["..."]')
    .replaceAll(/("code":)"\d+"/g, '$1"12345678"')
    .replaceAll(/("code":)"[\w-]{43}"/g, '$1"Wm9lX2V4YW1wbGVfY29kZV9mb3JfYW5fYXBwX18wMDE"');
  return JSON.parse(text);
}
