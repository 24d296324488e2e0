import { authorizePath } from "../app/authorize_page.ts";
import { addPasskey } from "../app/passkeys.ts";
import { PASSWORD } from "../app/accounts.ts";
import { BASE_URL } from "../app/test_app.ts";
import type { TestClient } from "../app/test_client.ts";
import { quarters } from "../images/pictures.ts";
import { exampleBody } from "./entries.ts";

/** A form of a page that passes validation. */
export interface LimitedForm {
  fields: Record<string, string>;
  /** Returns the path, if it is not that of the page. */
  path?(client: TestClient): Promise<string>;
  /** The field with the id of the sender, if there is one. */
  userField?: string;
}

const EMAIL = "nobody@example.com";
const TOKEN = exampleToken();
const WEBHOOK = { url: "https://hooks.example.com/", kinds: ["login.failed"] };
const METHODS = "/settings/sign-in-methods";

/** Valid input for the forms of pages, by method and path. Those that are left out have no fields. */
export const LIMITED_FORMS: Record<string, LimitedForm> = {
  "POST /forgot-password": { fields: { email: EMAIL } },
  "POST /invite": { fields: { name: "Ada", email: EMAIL } },
  "POST /register": { fields: { name: "Ada", email: EMAIL, password: PASSWORD } },
  "POST /language": { fields: { language: "de" } },
  "POST /login": { fields: { email: EMAIL, password: PASSWORD } },
  "POST /login-code": { fields: { email: EMAIL, code: "12345678" } },
  "POST /reset-password": { fields: { email: EMAIL, token: TOKEN, password: PASSWORD } },
  "POST /login-link": { fields: { token: TOKEN } },
  "POST /login-once": { fields: { email: EMAIL, token: TOKEN } },
  "POST /verify-email": { fields: { email: EMAIL, token: TOKEN } },
  "POST /confirm-email": { fields: { token: TOKEN } },
  "POST /not-me": { fields: { token: TOKEN } },
  "POST /factor-reset": { fields: { token: TOKEN } },
  "POST /stop-factor-reset": { fields: { token: TOKEN } },
  "POST /device": { fields: { userCode: "BBBB-BBBB" } },
  "POST /close-account": { fields: { userId: "someone else" } },
  "POST /profile": { fields: { name: "Ada" } },
  "POST /second-factor": { fields: { code: "123456" } },
  "POST /reauthenticate": { fields: { action: "prove", proof_password: "Wrong-horse-77" } },
  "POST /admin/webhooks/new": { fields: { url: WEBHOOK.url, "login.failed": "on" } },
  "POST /admin/webhooks/{id}": { fields: { action: "rotate" }, path: webhookPath },
  "POST /admin/users/{id}/{act}": { fields: { reason: "ticket 7" }, path: suspensionPath },
  "POST /admin/users/{id}/groups": { fields: { reason: "ticket 7" }, path: groupsPath },
  "POST /admin/groups": { fields: { groupName: "staff", groupTitle: "Staff" } },
  "POST /admin/groups/{name}": { fields: { who: EMAIL, reason: "ticket 7" }, path: groupPath() },
  "POST /admin/groups/{name}/delete": { fields: { reason: "ticket 7" }, path: groupPath("/delete") },
  "POST /admin/groups/{name}/people/{id}": { fields: { reason: "ticket 7" }, path: groupPath(memberPath) },
  "POST /admin/emails/{id}/retry": { fields: { reason: "ticket 7" }, path: retryPath },
  "POST /admin/apps/new": { fields: { client_name: "Wiki", kind: "public", reason: "ticket 7" } },
  "POST /admin/apps/{client}/edit": { fields: { client_name: "Wiki", reason: "ticket 7" }, path: appPath },
  "POST /admin/apps/{client}/logo": {
    fields: { action: "remove", reason: "ticket 7" },
    path: logoPath,
  },
  "POST /admin/apps/{client}": { fields: { reason: "ticket 7" }, path: () => Promise.resolve("/admin/apps/wiki") },
  [`POST ${METHODS}/authenticator/confirm`]: { fields: { code: "123456" } },
  "POST /uploads": { fields: { action: "delete" } },
  "POST /uploads/{id}": { fields: { action: "create", expiresIn: "3600" }, path: privateFilePath },
  "POST /settings/email": { fields: { email: EMAIL } },
  "POST /settings/language": { fields: { language: "de" } },
  "POST /settings/password": { fields: { currentPassword: PASSWORD, password: PASSWORD } },
  "POST /settings/apps": { fields: { id: crypto.randomUUID() } },
  "POST /settings/sessions": { fields: { action: "end_others" } },
  "POST /settings/tokens": { fields: { id: crypto.randomUUID() } },
  "POST /settings/tokens/new": { fields: { tokenName: "Script", "profile:read": "on", expiresInDays: "30" } },
  "POST /oauth/authorize": {
    fields: { answer: "allow" },
    path: () => Promise.resolve(authorizePath("wiki")),
    userField: "user",
  },
  [`POST ${METHODS}/confirm`]: { fields: { token: TOKEN } },
  [`POST ${METHODS}/passkeys/add`]: { fields: { passkeyName: "Phone", credential: "" } },
  [`POST ${METHODS}/passkeys/{id}/rename`]: onPasskey("rename", { passkeyName: "Phone" }),
  [`POST ${METHODS}/passkeys/{id}/remove`]: onPasskey("remove"),
};

/** The page exists only for a passkey that the person has. */
function onPasskey(action: string, fields: Record<string, string> = {}): LimitedForm {
  return { fields, path: async (client) => `${METHODS}/passkeys/${(await addPasskey(client)).id}/${action}` };
}

/** The page exists only for an app that was made in the browser. */
async function appPath(client: TestClient): Promise<string> {
  const body = { client_name: "Wiki", reason: "ticket 7" };
  const { data } = await (await client.send("POST", "/api/admin/clients", body)).json();
  return `/admin/apps/${data.clientId}/edit`;
}

/** Only a logo that is there can be removed. */
async function logoPath(client: TestClient): Promise<string> {
  const path = "/admin/apps/wiki/logo";
  const body = new FormData();
  body.set("action", "save");
  body.set("reason", "ticket 7");
  body.set("file", new File([await quarters().png().toBuffer() as BlobPart], "logo.png", { type: "image/png" }));
  await (await client.request(path, { method: "POST", body })).body?.cancel();
  return path;
}

/** The page exists only for a private file that is stored. */
async function privateFilePath(client: TestClient): Promise<string> {
  const form = new FormData();
  form.append("file", new File(["notes"], "notes.txt", { type: "text/plain" }));
  await client.request("/uploads", { method: "POST", body: form, headers: { Origin: BASE_URL } });
  const { data: [{ id }] } = await (await client.get("/api/uploads")).json();
  return `/uploads/${id}`;
}

/** The page exists only for a webhook. */
async function webhookPath(client: TestClient): Promise<string> {
  const { data: { id } } = await (await client.send("POST", "/api/admin/webhooks", WEBHOOK)).json();
  return `/admin/webhooks/${id}`;
}

/** Acts on someone else: the first account of the list. */
async function suspensionPath(client: TestClient): Promise<string> {
  return `/admin/users/${await someoneElse(client)}/end-sessions`;
}

async function someoneElse(client: TestClient): Promise<string> {
  const { data } = await (await client.get("/api/admin/users")).json();
  const { user: { id: ownId } } = await (await client.get("/api/profile")).json();
  const { id } = data.find((account: { id: string }) => account.id !== ownId) ?? data[0];
  return id;
}

async function groupsPath(client: TestClient): Promise<string> {
  return `/admin/users/${await someoneElse(client)}/groups`;
}

async function memberPath(client: TestClient): Promise<string> {
  return `/people/${await someoneElse(client)}`;
}

/** The page exists only for a group. */
function groupPath(rest: string | typeof memberPath = "") {
  return async (client: TestClient) => {
    const name = crypto.randomUUID(); // the form may delete it
    await client.send("PUT", `/api/admin/groups/${name}`, { title: "Limited" });
    return `/admin/groups/${name}${typeof rest === "string" ? rest : await rest(client)}`;
  };
}

/** The page exists only for an email. */
async function retryPath(client: TestClient): Promise<string> {
  const { data: [{ id }] } = await (await client.get("/api/admin/mails?limit=1")).json();
  return `/admin/emails/${id}/retry`;
}

function exampleToken(): string {
  return (exampleBody("POST /auth/not-me") as { token: string }).token;
}

/** Returns the form of a photo. */
export async function imageForm(): Promise<FormData> {
  const form = new FormData();
  form.append("type", "post");
  const bytes = new Uint8Array(await quarters().png().toBuffer());
  form.append("file", new File([bytes], "photo.png", { type: "image/png" }));
  return form;
}
