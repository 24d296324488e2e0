import { strictEqual } from "node:assert/strict";
import type { Credential } from "../../../lib/sign_in/passkeys/schema.ts";
import { type CreationOptions, type RequestOptions, SoftwareAuthenticator } from "./software_authenticator.ts";
import { BASE_URL } from "./test_app.ts";
import type { TestClient } from "./test_client.ts";

/** A passkey of an account, and its id in the API. */
export interface AddedPasskey {
  id: string;
  authenticator: SoftwareAuthenticator;
}

/** Adds a passkey to the client's account through the API. */
export async function addPasskey(
  client: TestClient,
  { name = "My phone", countsUses = false, origin = BASE_URL }: {
    name?: string;
    countsUses?: boolean;
    /** Of the app, if it is not the test app. */
    origin?: string;
  } = {},
): Promise<AddedPasskey> {
  const authenticator = new SoftwareAuthenticator(origin, { countsUses });
  const credential = await authenticator.create(await creationOptions(client));
  const response = await client.send("POST", "/api/passkeys", { name, credential });
  const body = await response.json();
  strictEqual(response.status, 201, JSON.stringify(body));
  return { id: body.data.id, authenticator };
}

/** Asks for the options of a new passkey. */
export async function creationOptions(client: TestClient): Promise<CreationOptions> {
  return await optionsFrom(client, "/api/passkeys/options");
}

/** Asks for the options with which any passkey is used. */
export async function requestOptions(client: TestClient): Promise<RequestOptions> {
  return await optionsFrom(client, "/auth/passkey/options");
}

async function optionsFrom<Options>(client: TestClient, path: string): Promise<Options> {
  const response = await client.request(path, { method: "POST" });
  const body = await response.json();
  strictEqual(response.status, 200, JSON.stringify(body));
  return body.options;
}

/** Logs in with a credential. */
export async function sendCredential(client: TestClient, credential: Credential): Promise<Response> {
  return await client.send("POST", "/auth/passkey", { credential });
}
