import { strictEqual } from "node:assert/strict";
import type { FalseProvider } from "./false_provider.ts";
import type { TestApp } from "./test_app.ts";
import type { TestClient } from "./test_client.ts";

/** Signs in through the consent screen and returns the response of the callback. `person` is the content of userinfo. */
export async function signIn(
  app: TestApp,
  provider: FalseProvider,
  person: Record<string, unknown>,
  client: TestClient = app.client(),
): Promise<Response> {
  provider.userinfo = person;
  const { pathname, search } = provider.consent(await consentScreen(client));
  return await client.get(pathname + search);
}

/** Starts a sign-in and returns the address of the consent screen. */
export async function consentScreen(client: TestClient): Promise<string> {
  const response = await client.get("/auth/idp");
  strictEqual(response.status, 302, await response.text());
  return response.headers.get("Location")!;
}

/** Signs in and returns the client, which holds the session, and the profile. */
export async function signedIn(app: TestApp, provider: FalseProvider, person: Record<string, unknown>) {
  const client = app.client();
  const response = await signIn(app, provider, person, client);
  strictEqual(response.headers.get("Location"), "/dashboard");
  const { user } = await (await client.get("/api/profile")).json();
  return { client, user };
}
