import { strictEqual } from "node:assert/strict";
import { createClientSecret, hashClientSecret } from "../../lib/clients/client_secret.ts";
import { hashToken } from "../../lib/crypto/token.ts";
import type { AppProcess } from "../support/processes/app_process.ts";
import type { Session } from "../support/processes/process_session.ts";
import { cpuSecondsOf } from "./rig.ts";

/** Apps that sign people in, or act as themselves, in a benchmark. */

const REDIRECT_URI = "https://app.example/callback";
const VERIFIER = "v".repeat(43);
const SCOPE = "openid profile email";
/** The secret of the confidential apps. */
export const SECRET = createClientSecret();

/** Apps by their ids: one of the operator, one that asks people for consent, and one that acts as itself. */
const CLIENTS = {
  own: { first_party: true },
  portal: { client_secret_hashes: [`sha256:${hashClientSecret(SECRET)}`] },
  robot: {
    client_secret_hashes: [`sha256:${hashClientSecret(SECRET)}`],
    grant_types: ["client_credentials"],
    redirect_uris: [],
    scope: "users:read",
  },
};
export type ClientId = keyof typeof CLIENTS;

/** Writes CLIENTS_FILE with these apps. Returns its path. */
export async function writeClients(folder: string, ids: ClientId[]): Promise<string> {
  const path = `${folder}/clients-${ids.join("-")}.json`;
  const clients = ids.map((id) => ({
    client_id: id,
    client_name: id,
    redirect_uris: [REDIRECT_URI],
    scope: SCOPE,
    ...CLIENTS[id],
  }));
  await Deno.writeTextFile(path, JSON.stringify({ clients }));
  return path;
}

/** The tokens of an app. */
export interface Tokens {
  access_token: string;
  refresh_token: string;
}

/** Signs a person in at an app, who has agreed or need not. Returns the tokens. */
export async function signIn({ url }: Pick<AppProcess, "url">, id: ClientId, session: Session): Promise<Tokens> {
  const request = new URLSearchParams({
    client_id: id,
    redirect_uri: REDIRECT_URI,
    response_type: "code",
    scope: SCOPE,
    code_challenge: hashToken(VERIFIER),
    code_challenge_method: "S256",
  });
  const answer = await session.request(`/oauth/authorize?${request}`, { redirect: "manual" });
  await answer.body?.cancel();
  const code = new URL(answer.headers.get("location")!).searchParams.get("code")!;
  return await askForTokens(url, id, {
    grant_type: "authorization_code",
    code,
    redirect_uri: REDIRECT_URI,
    code_verifier: VERIFIER,
  });
}

/** Asks for tokens as an app. */
export function askForTokens(url: string, id: ClientId, fields: Record<string, string>): Promise<Tokens> {
  return post(`${url}/oauth/token`, id, fields);
}

/** Sends a form as an app. Fails unless the response is 200. */
export async function post<Body>(address: string, id: ClientId, fields: Record<string, string>): Promise<Body> {
  const secret: Record<string, string> = "client_secret_hashes" in CLIENTS[id] ? { client_secret: SECRET } : {};
  const response = await fetch(address, {
    method: "POST",
    body: new URLSearchParams({ client_id: id, ...secret, ...fields }),
  });
  const body = await response.json();
  strictEqual(response.status, 200, JSON.stringify(body));
  return body;
}

/** Several callers, each of which acts again and again, as an app does. */
export interface Callers {
  concurrent: number;
  each: number;
  act(caller: number): Promise<unknown>;
}

/** Returns the CPU time that a server needs for one act, in milliseconds. */
export async function cpuMsOf(server: { pid: number }, { concurrent, each, act }: Callers): Promise<number> {
  const before = await cpuSecondsOf(server);
  await Promise.all(Array.from({ length: concurrent }, async (_, caller) => {
    for (let count = 0; count < each; count++) await act(caller);
  }));
  return (await cpuSecondsOf(server) - before) * 1000 / (concurrent * each);
}
