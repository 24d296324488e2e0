import { hashToken } from "../../../lib/crypto/token.ts";
import { REDIRECT_URI } from "../app/authorization.ts";
import type { TestClient } from "../app/test_client.ts";

/** The API that the public app and its own client use. */
export const API = "https://notes.example";
export const VERIFIER = "v".repeat(43);
/** The secrets of the confidential clients. */
export const SECRETS: Record<string, string> = {
  wiki: "secret-of-the-wiki-1234567890",
  "notes-api": "secret-of-notes-123",
  robot: "secret-of-a-program-123456",
};
/** The public clients. */
export const PUBLIC = ["phone", "one-time"];

/** What a person allows an app. */
export interface CodeOptions {
  scopes?: string[];
  resource?: string | null;
  hasChallenge?: boolean;
}

/** One of the two servers. */
export interface Side {
  name: string;
  issuer: string;
  /** A browser of a guest, or a program. */
  client(): TestClient;
  /** A browser in which a person has logged in. The apps have been allowed `openid`. */
  member(): Promise<TestClient>;
  code(clientId: string, options?: CodeOptions): Promise<string>;
  advance(seconds: number): void;
}

/** Fields of a form. One without a value is left out; several values repeat it. */
export type Fields = Record<string, string | string[] | undefined>;

/** A request to authorize that nothing is wrong with. */
export const GOOD_REQUEST: Fields = {
  client_id: "wiki",
  redirect_uri: REDIRECT_URI,
  response_type: "code",
  scope: "openid",
  state: "s1",
  code_challenge: hashToken(VERIFIER),
  code_challenge_method: "S256",
};

/** Writes a form. */
export function encode(fields: Fields): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, each])
  );
  return new URLSearchParams(pairs).toString();
}

export function basic(clientId: string, secret = SECRETS[clientId]): Record<string, string> {
  return { Authorization: `Basic ${btoa(`${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`)}` };
}

/** How a client usually says who it is. */
export function credentials(clientId: string): { headers: Record<string, string>; fields: Fields } {
  return PUBLIC.includes(clientId)
    ? { headers: {}, fields: { client_id: clientId } }
    : { headers: basic(clientId), fields: {} };
}

/** Sends a form to one of the endpoints for apps. */
export function post(
  side: Side,
  path: string,
  fields: Fields,
  headers: Record<string, string> = {},
): Promise<Response> {
  return side.client().request(path, {
    method: "POST",
    body: encode(fields),
    headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers },
  });
}

/** Exchanges a code as a client, with changes. */
export function exchange(
  side: Side,
  code: string,
  clientId = "wiki",
  changes: Fields = {},
  otherHeaders?: Record<string, string>,
): Promise<Response> {
  const { headers, fields } = credentials(clientId);
  return post(side, "/oauth/token", {
    grant_type: "authorization_code",
    code,
    redirect_uri: REDIRECT_URI,
    code_verifier: VERIFIER,
    ...fields,
    ...changes,
  }, otherHeaders ?? headers);
}

export function refresh(
  side: Side,
  refreshToken: string,
  clientId = "wiki",
  changes: Fields = {},
): Promise<Response> {
  const { headers, fields } = credentials(clientId);
  return post(side, "/oauth/token", {
    grant_type: "refresh_token",
    refresh_token: refreshToken,
    ...fields,
    ...changes,
  }, headers);
}

/** The tokens in a response. */
export interface Tokens {
  access_token: string;
  refresh_token: string;
  id_token: string;
}

export async function tokensOf(side: Side, clientId = "wiki", options: CodeOptions = {}): Promise<Tokens> {
  return await tokensIn(await exchange(side, await side.code(clientId, options), clientId), side);
}

export async function tokensIn(response: Response, side: Side): Promise<Tokens> {
  const tokens = await response.json();
  if (response.status !== 200) throw new Error(`${side.name}: ${response.status} ${JSON.stringify(tokens)}`);
  return tokens;
}

/**
 * The class of an answer: the status class, the error code, and whether it is a page, leads back to the app or
 * elsewhere. A page that moves on is a redirect.
 */
export async function classOf(response: Response): Promise<string> {
  const target = response.headers.get("Location") ?? /^0; url=(.*)$/.exec(response.headers.get("Refresh") ?? "")?.[1];
  const text = await response.text();
  if (target != null) return redirectClass(target);
  const status = `${Math.floor(response.status / 100)}xx`;
  const type = response.headers.get("Content-Type") ?? "";
  if (type.startsWith("text/html")) return `${status} page`;
  if (!text.startsWith("{")) return status;
  const body = JSON.parse(text);
  const active = "active" in body ? ` active=${body.active}` : "";
  // Our errors of other routes have a code, and a text in the field.
  const error = body.error === undefined || "code" in body ? "" : ` ${body.error}`;
  return `${status}${active}${error}`;
}

function redirectClass(target: string): string {
  if (!target.startsWith("https://app.example/")) return "redirect elsewhere";
  const { search, hash } = new URL(target);
  const query = new URLSearchParams(search || hash.slice(1));
  if (query.has("error")) return `redirect ${query.get("error")}`;
  return query.has("code") ? "redirect with a code" : "redirect";
}
