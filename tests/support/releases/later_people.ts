import { strictEqual } from "node:assert/strict";
import { mailedToken, PASSWORD, registerVerifiedUser } from "../app/accounts.ts";
import { connect, REDIRECT_URI, tokensIn } from "../app/authorization.ts";
import { allowDevice, poll, startDevice } from "../app/devices.ts";
import { addPasskey } from "../app/passkeys.ts";
import { enableTotp, registerWithTotp, trustDevice } from "../app/second_factor.ts";
import { act, comeFrom, command, type Recorder, sessionOf } from "./recording.ts";

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
    const fields = { client_name: "Board", redirect_uris: [REDIRECT_URI], reason };
    const { data: { clientId } } = await act(admin, "POST", "/api/admin/clients", fields);
    const board = await connect(app, client, clientId);
    return {
      id,
      had: [
        { kind: "refreshToken", clientId: COMMAND_LINE, token: token! },
        { kind: "refreshToken", clientId, token: board.refresh_token },
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
