import { strictEqual } from "node:assert/strict";
import { prepareSigningKeys } from "../../../lib/access/signing_keys.ts";
import { createGrant, type GrantRequest } from "../../../lib/authorization_server/grant.ts";
import type { TokenResponse } from "../../../lib/authorization_server/tokens/token_response.ts";
import { hashToken } from "../../../lib/crypto/token.ts";
import { principalOf } from "./accounts.ts";
import { writeClientsFile } from "./clients_file.ts";
import { openSharedTestApp, type TestApp } from "./test_app.ts";
import type { TestClient } from "./test_client.ts";
import { findClient } from "../../../lib/clients/registrations.ts";
import { hashClientSecret } from "../../../lib/clients/client_secret.ts";

/** The secrets of the confidential clients. The wiki has two. */
export const SECRETS = ["first-secret-of-the-wiki", "second secret: ü+%"] as const;
export const NOTES = "https://notes.example";
export const REDIRECT_URI = "https://app.example/callback";

/**
 * A confidential app, the same without refreshing, a public one, one of the operator's, and one that stays connected.
 */
export const CLIENTS = [
  client("wiki", { client_secret_hashes: SECRETS.map((secret) => `sha256:${hashClientSecret(secret)}`) }),
  client("one-time", { grant_types: ["authorization_code"] }),
  client("phone", { scope: "openid profile email offline_access profile:read notes:read", resources: [NOTES] }),
  client("portal", { first_party: true, grant_lifetime: "offline" }),
  client("es256", { id_token_signed_response_alg: "ES256", id_token_claims: false, access_ttl: 60 }),
  client("notes-api", {
    client_secret_hashes: [`sha256:${hashClientSecret(SECRETS[0])}`],
    resources: [NOTES],
    grant_types: ["authorization_code"],
  }),
];
export const RESOURCES = [
  {
    resource: NOTES,
    name: "Notes",
    scopes: { "notes:read": "See your notes", "notes:write": "Change them" },
    claims: ["email"],
  },
];

/** Returns a client of CLIENTS_FILE. */
export function client(id: string, fields: Record<string, unknown> = {}): Record<string, unknown> {
  return { client_id: id, client_name: `The ${id}`, redirect_uris: [REDIRECT_URI], ...fields };
}

/** Opens an app with these clients and resources, and with others, for all tests of a file. */
export async function openAuthorizationApp(
  env: Record<string, string> = {},
  otherClients: Record<string, unknown>[] = [],
  otherResources: Record<string, unknown>[] = [],
): Promise<TestApp> {
  const CLIENTS_FILE = await writeClientsFile([...CLIENTS, ...otherClients], [...RESOURCES, ...otherResources]);
  const app = await openSharedTestApp({ CLIENTS_FILE, ...env });
  await prepareSigningKeys(app.services);
  return app;
}

/** A code, and what its exchange needs. */
export interface GivenCode {
  code: string;
  verifier: string;
  clientId: string;
}

/** Allows an app something, as the page of consent does. */
export async function giveCode(
  app: TestApp,
  person: TestClient,
  clientId: string,
  { hasChallenge = true, ...request }: Partial<GrantRequest> & { hasChallenge?: boolean } = {},
): Promise<GivenCode> {
  const { user, session } = await principalOf(app, person);
  const verifier = "v".repeat(43);
  const { registrations } = app.services.config;
  const client = registrations!.clients.get(clientId) ?? await findClient(app.services, clientId);
  const code = await app.services.db.transaction().execute((trx) =>
    createGrant(trx, app.services, {
      user,
      session,
      client: client!,
      request: {
        scopes: ["openid"],
        resource: null,
        redirectUri: REDIRECT_URI,
        codeChallenge: hasChallenge ? hashToken(verifier) : null,
        nonce: null,
        ...request,
      },
    })
  );
  return { code, verifier, clientId };
}

/** Sends a form to one of the routes that apps call. The wiki and the API of notes send their secret. */
export function postForm(
  app: Pick<TestApp, "client">,
  path: string,
  fields: Record<string, string | undefined>,
  headers: HeadersInit = {},
): Promise<Response> {
  const known = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  return app.client().request(path, { method: "POST", body: new URLSearchParams(known), headers });
}

/** Says who an app is. */
export function credentialsOf(clientId: string): Record<string, string> {
  const isConfidential = clientId === "wiki" || clientId === "notes-api";
  return { client_id: clientId, ...isConfidential && { client_secret: SECRETS[0] } };
}

/** Exchanges a code, and changes what is sent for it. */
export function exchange(
  app: Pick<TestApp, "client">,
  { code, verifier, clientId }: GivenCode,
  changes: Record<string, string | undefined> = {},
): Promise<Response> {
  return postForm(app, "/oauth/token", {
    ...credentialsOf(clientId),
    grant_type: "authorization_code",
    code,
    redirect_uri: REDIRECT_URI,
    code_verifier: verifier,
    ...changes,
  });
}

/** Refreshes, and changes what is sent for it. */
export function refresh(
  app: Pick<TestApp, "client">,
  clientId: string,
  refreshToken: string,
  changes: Record<string, string | undefined> = {},
): Promise<Response> {
  return postForm(app, "/oauth/token", {
    ...credentialsOf(clientId),
    grant_type: "refresh_token",
    refresh_token: refreshToken,
    ...changes,
  });
}

/** Returns the tokens in a response. */
export async function tokensIn(sent: Response | Promise<Response>): Promise<TokenResponse> {
  const response = await sent;
  const body = await response.json();
  strictEqual(response.status, 200, JSON.stringify(body));
  return body;
}

/** Allows an app something, and returns its tokens. */
export async function connect(
  app: TestApp,
  person: TestClient,
  clientId: string,
  request: Partial<GrantRequest> = {},
): Promise<Required<TokenResponse>> {
  return await tokensIn(exchange(app, await giveCode(app, person, clientId, request))) as Required<TokenResponse>;
}

/** Returns the status and the code of an error in the form of OAuth. */
export async function errorOf(sent: Response | Promise<Response>): Promise<[status: number, error: string]> {
  const response = await sent;
  return [response.status, (await response.json()).error];
}
