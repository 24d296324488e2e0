import { strictEqual } from "node:assert/strict";
import type { RegisteredClient } from "../../../lib/config/registered_client.ts";
import { sweepMissingClients } from "../../../lib/grants/missing_client.ts";
import { mailedToken, PASSWORD, type Registered, registerVerifiedUser } from "../app/accounts.ts";
import { connect, exchange, REDIRECT_URI, tokensIn } from "../app/authorization.ts";
import { authorizePath, codeIn, movedAnswer, openPage, press } from "../app/authorize_page.ts";
import { allowDevice, poll, startDevice } from "../app/devices.ts";
import { addPasskey } from "../app/passkeys.ts";
import { enableTotp, registerWithTotp, trustDevice } from "../app/second_factor.ts";
import { AGENT_CALLBACK, startDocumentHost } from "../apps/document_host.ts";
import { quarters } from "../images/pictures.ts";
import { act, comeFrom, command, read, type Recorder, sessionOf } from "./recording.ts";

/** The group whose members must have a second factor. */
export const STRICT_GROUP = "strict";
/** A command line of CLIENTS_FILE. */
const COMMAND_LINE = "cli";

/** People of kinds that 0.2.0 does not know. */
export const LATER_PEOPLE: Record<string, Recorder> = {
  async "is in groups"({ app }, email) {
    const { id, client } = await registerVerifiedUser(app, email);
    const names = ["choir", "staff"];
    for (const name of names) {
      await command(app, "groups create", { name });
      await command(app, "groups add", { name, who: email, reason: "Sings" });
    }
    return { id, had: [{ kind: "groups", cookie: sessionOf(client), names }] };
  },
  async "must have a second factor and has two"({ app }, email) {
    const { id, client } = await registerVerifiedUser(app, email);
    const { authenticator } = await addPasskey(client);
    const { secret } = await enableTotp(app, client);
    await command(app, "groups add", { name: STRICT_GROUP, who: email, reason: "Has keys" });
    const passkey = await authenticator.save();
    return {
      id,
      had: [
        { kind: "totp", password: PASSWORD, secret },
        { kind: "secondPasskey", password: PASSWORD, passkey },
        { kind: "passkey", passkey },
      ],
    };
  },
  async "must have a second factor soon"({ app }, email) {
    const { id, client } = await registerVerifiedUser(app, email);
    await command(app, "groups add", { name: STRICT_GROUP, who: email, reason: "Has keys" });
    return {
      id,
      had: [
        { kind: "session", cookie: sessionOf(client) },
        { kind: "password", password: PASSWORD },
      ],
    };
  },
  async "trusts a device"({ app }, email) {
    const registered = await registerWithTotp(app, email);
    const { id, totp } = registered;
    const device = (await trustDevice(app, registered)).cookies.get("device")!;
    return {
      id,
      had: [
        { kind: "password", password: PASSWORD, device },
        { kind: "password", password: PASSWORD, outcome: "second step" },
        { kind: "totp", password: PASSWORD, secret: totp.secret },
      ],
    };
  },
  async "came from Apple"(world, email) {
    const name = { firstName: "Ada", lastName: "Lovelace" };
    return await comeFrom(world, "apple", { sub: "001234.a", email, email_verified: "true", name });
  },
  async "came from Discord"(world, email) {
    return await comeFrom(world, "discord", { id: "1", username: "ada", global_name: "Ada", email, verified: true });
  },
  async "came from Facebook"(world, email) {
    return await comeFrom(world, "facebook", { id: "2", name: "Ada", email });
  },
  async "came from LinkedIn"(world, email) {
    return await comeFrom(world, "linkedin", { sub: "3", name: "Ada", email, email_verified: true });
  },
  async "came from X"(world, email) {
    return await comeFrom(world, "x", { data: { id: "4", name: "Ada", username: "ada", confirmed_email: email } });
  },
  async "uses a command line and an app that an admin has made"({ app, admin }, email) {
    const { id, client } = await registerVerifiedUser(app, email);
    const { device_code: code, user_code: userCode } = await startDevice(app, COMMAND_LINE);
    await allowDevice(client, userCode);
    const { refresh_token: token } = await tokensIn(poll(app, code, COMMAND_LINE));
    const reason = "A new board";
    const fields = { client_name: "Board", client_uri: "https://board.example", redirect_uris: [REDIRECT_URI], reason };
    const { data: { clientId } } = await act(admin, "POST", "/api/admin/clients", fields);
    const board = await connect(app, client, clientId);
    const logo = await giveLogo(admin, { clientId, name: fields.client_name });
    return {
      id,
      had: [
        { kind: "refreshToken", clientId: COMMAND_LINE, token: token! },
        { kind: "refreshToken", clientId, token: board.refresh_token },
        { kind: "consent", cookie: sessionOf(client), clientId },
        { kind: "publicFile", ...await read(client, logo) },
      ],
    };
  },
  async "uses an app that nobody has registered"({ app }, email) {
    const { id, client } = await registerVerifiedUser(app, email);
    await using host = startDocumentHost();
    const clientId = host.url("agent");
    const page = await openPage(client, authorizePath(clientId, { redirect_uri: AGENT_CALLBACK }));
    const answer = await movedAnswer(await press(app, client, page, "allow"), AGENT_CALLBACK);
    const code = codeIn(answer, clientId);
    const { refresh_token: token } = await tokensIn(exchange(app, code, { redirect_uri: AGENT_CALLBACK }));
    return { id, had: [{ kind: "refreshToken", clientId, token: token! }] };
  },
  async "has allowed an app that CLIENTS_FILE does not name for a while"({ app }, email) {
    const clientId = "es256";
    const { id, client } = await registerVerifiedUser(app, email);
    const { refresh_token: token } = await connect(app, client, clientId);
    const clients = app.services.config.registrations!.clients as Map<string, RegisteredClient>;
    const registered = clients.get(clientId)!;
    clients.delete(clientId);
    await sweepMissingClients(app.services);
    clients.set(clientId, registered);
    return {
      id,
      had: [
        { kind: "refreshToken", clientId, token },
        { kind: "consent", cookie: sessionOf(client), clientId },
      ],
    };
  },
};

/** Those of them whose links and codes end within minutes. */
export const LATER_HURRIED_PEOPLE: Record<string, Recorder> = {
  async "has been given a link"({ app }, email) {
    const { id } = await registerVerifiedUser(app, email);
    const { link } = await command(app, "users link", { who: email });
    const token = new URL(link as string).searchParams.get("token")!;
    return { id, had: [{ kind: "link", token }, { kind: "link", token, outcome: "400 INVALID_TOKEN" }] };
  },
  async "has been sent a link beside a code"({ app }, email) {
    const { id } = await registerVerifiedUser(app, email);
    const client = app.client();
    strictEqual((await client.send("POST", "/auth/code", { email })).status, 200);
    const token = await mailedToken(app, email);
    return { id, had: [{ kind: "codeLink", token, cookie: client.cookies.get("login_request")! }] };
  },
  async "logs in at devices"({ app }, email) {
    const { id, client } = await registerVerifiedUser(app, email);
    const [allowed, asked] = [await startDevice(app, COMMAND_LINE), await startDevice(app, COMMAND_LINE)];
    await allowDevice(client, allowed.user_code);
    const common = { kind: "device", clientId: COMMAND_LINE, cookie: sessionOf(client) } as const;
    return {
      id,
      had: [
        { ...common, code: allowed.device_code },
        { ...common, code: asked.device_code, userCode: asked.user_code },
      ],
    };
  },
};

/** Gives an app a logo, and returns its address. */
async function giveLogo(
  { client }: Registered,
  { clientId, name }: { clientId: string; name: string },
): Promise<string> {
  const form = new FormData();
  form.set("action", "save");
  form.set("reason", "A new logo");
  form.set("file", new Blob([new Uint8Array(await quarters().png().toBuffer())], { type: "image/png" }), "logo.png");
  strictEqual((await client.request(`/admin/apps/${clientId}/logo`, { method: "POST", body: form })).status, 303);
  const { data } = await (await client.get("/api/account/apps?available=true")).json();
  return data.find((each: { name: string }) => each.name === name).logo;
}
