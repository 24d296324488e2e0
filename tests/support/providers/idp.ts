import { strictEqual } from "node:assert/strict";
import type { FalseProvider } from "./false_provider.ts";
import type { TestApp } from "../app/test_app.ts";
import type { TestClient } from "../app/test_client.ts";

/**
 * Signs in through the consent screen and returns the response of the callback. `person` is the content of userinfo.
 */
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
export async function consentScreen(client: TestClient, path = "/auth/idp"): Promise<string> {
  const response = await client.get(path);
  strictEqual(response.status, 302, await response.text());
  return response.headers.get("Location")!;
}

/** Signs in with the provider that has a key, and returns the response of the callback. */
export async function signInAt(
  key: string,
  { client, consent }: { client: TestClient; consent(consentScreen: string): URL },
): Promise<Response> {
  const { pathname, search } = consent(await consentScreen(client, `/auth/idp/${key}`));
  return await client.get(pathname + search);
}

/** The variables of the default provider, as those of the provider with a key. */
export function envOf(key: string, env: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name.replace("IDP_", `IDP_${key.toUpperCase()}_`), value]),
  );
}

/** Signs in and returns the client, which holds the session, and the profile. */
export async function signedIn(app: TestApp, provider: FalseProvider, person: Record<string, unknown>) {
  const client = app.client();
  const response = await signIn(app, provider, person, client);
  strictEqual(response.headers.get("Location"), "/dashboard");
  const { user } = await (await client.get("/api/profile")).json();
  return { client, user };
}
