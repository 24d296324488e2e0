import { strictEqual } from "node:assert/strict";
import { DEVICE_GRANT } from "../../../lib/config/registered_client.ts";
import type { DeviceAuthorization } from "../../../lib/authorization_server/device/device_request.ts";
import { client, credentialsOf, postForm } from "./authorization.ts";
import type { TestApp } from "./test_app.ts";
import type { TestClient } from "./test_client.ts";

/** A command line that logs in with a code. */
export const COMMAND_LINE_APP = client("cli", {
  grant_types: [DEVICE_GRANT, "refresh_token"],
  redirect_uris: [],
  scope: "openid profile email profile:read",
});

/** Asks for access as a device. */
export async function startDevice(
  app: Pick<TestApp, "client">,
  clientId = "cli",
  fields: Record<string, string> = {},
): Promise<DeviceAuthorization> {
  const response = await postForm(app, "/oauth/device_authorization", { ...credentialsOf(clientId), ...fields });
  const body = await response.json();
  strictEqual(response.status, 200, JSON.stringify(body));
  return body;
}

/** Asks for the tokens of a device. */
export function poll(app: Pick<TestApp, "client">, deviceCode: string, clientId = "cli"): Promise<Response> {
  return postForm(app, "/oauth/token", {
    ...credentialsOf(clientId),
    grant_type: DEVICE_GRANT,
    device_code: deviceCode,
  });
}

/** Types the code of a device, and presses a button of the page that follows. */
export function answerDevice(person: TestClient, userCode: string, answer?: "allow" | "cancel"): Promise<Response> {
  return person.submit("/device", { userCode, ...answer !== undefined && { answer } });
}

/** Allows a device what it asks for, as its page does. */
export async function allowDevice(person: TestClient, userCode: string): Promise<void> {
  strictEqual((await answerDevice(person, userCode)).status, 200);
  const response = await answerDevice(person, userCode, "allow");
  strictEqual(response.headers.get("Location"), "/device?answered=allowed", await response.text());
}
