import { match, strictEqual } from "node:assert/strict";
import { hashToken } from "../../../lib/crypto/token.ts";
import { type GivenCode, REDIRECT_URI } from "./authorization.ts";
import { Page } from "./page_reader.ts";
import type { TestApp } from "./test_app.ts";
import type { TestClient } from "./test_client.ts";

const VERIFIER = "v".repeat(43);

/** Returns the path of a good request of an app. A parameter that is undefined is left out. */
export function authorizePath(clientId: string, changes: Record<string, string | undefined> = {}): string {
  const parameters = {
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    response_type: "code",
    scope: "openid",
    state: "s1",
    code_challenge: hashToken(VERIFIER),
    code_challenge_method: "S256",
    ...changes,
  };
  const sent = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `/oauth/authorize?${new URLSearchParams(sent)}`;
}

/** Returns what the app gets: the parameters in the address of a redirect. Fails if it leads elsewhere. */
export function answerTo(response: Response, redirectUri = REDIRECT_URI): Record<string, string> {
  strictEqual(response.status, 303);
  return answerAt(response.headers.get("Location")!, redirectUri);
}

/** The same for a page that moves on. */
export async function movedAnswer(response: Response, redirectUri = REDIRECT_URI): Promise<Record<string, string>> {
  strictEqual(response.status, 200, await response.clone().text());
  const [, address] = /^0; url=(.*)$/.exec(response.headers.get("Refresh") ?? "") ?? [];
  return answerAt(address ?? "", redirectUri);
}

function answerAt(address: string, redirectUri: string): Record<string, string> {
  strictEqual(address.slice(0, redirectUri.length + 1), `${redirectUri}?`);
  return Object.fromEntries(new URLSearchParams(address.slice(redirectUri.length + 1)));
}

/** Returns the code in an answer, ready for its exchange. */
export function codeIn({ code }: Record<string, string>, clientId: string): GivenCode {
  match(code ?? "", /^[\w-]{43}$/);
  return { code, verifier: VERIFIER, clientId };
}

/** The form of a page of ours: its address and its hidden fields. */
export function formOf(page: string): { action: string; fields: Record<string, string> } {
  const { action, hidden: fields } = new Page(page).form();
  return { action, fields };
}

/** Presses a button of a page, as a browser does. */
export function press(
  app: Pick<TestApp, "services">,
  person: TestClient,
  page: string,
  answer: string,
  headers: Record<string, string> = { "Sec-Fetch-Site": "same-origin" },
): Promise<Response> {
  const { action, fields } = formOf(page);
  return person.request(action, {
    method: "POST",
    body: new URLSearchParams({ ...fields, answer }),
    headers: { Origin: app.services.config.baseUrl, ...headers },
  });
}

/** Opens a page that stays, and returns it. */
export async function openPage(person: TestClient, path: string): Promise<string> {
  const response = await person.get(path);
  const text = await response.text();
  strictEqual(response.status, 200, `${response.headers.get("Location")}\n${text}`);
  return text;
}
