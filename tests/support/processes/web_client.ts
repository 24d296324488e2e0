import { createCertificate } from "./certificate.ts";
import { hashToken } from "../../../lib/crypto/token.ts";

/** A web app on a site of its own, which signs people in. */
export interface WebClient {
  url: string;
  redirectUri: string;
  /** Where its pages send people: set it when the service runs. */
  issuer: string;
  [Symbol.asyncDispose](): Promise<void>;
}

const VERIFIER = "w".repeat(43);
const CLIENT_ID = "web";

/**
 * Starts the app at https://127.0.0.1. Its start page has a link, a form and a frame that ask to sign in; its callback
 * exchanges the code, and greets the person.
 */
export async function startWebClient(): Promise<WebClient> {
  const folder = await Deno.makeTempDir({ prefix: "foyer-web-client-" });
  const [certificate, key] = await createCertificate(folder, ["localhost"]);
  const [cert, keyText] = await Promise.all([Deno.readTextFile(certificate), Deno.readTextFile(key)]);
  const options = { hostname: "127.0.0.1", port: 0, cert, key: keyText, onListen() {} };
  const server = Deno.serve(options, async ({ url }) => {
    const { pathname, searchParams } = new URL(url);
    if (pathname === "/callback") return page(await signIn(client, searchParams));
    return page(pathname === "/frame" ? frame(client) : start(client));
  });
  const url = `https://127.0.0.1:${server.addr.port}`;
  const client: WebClient = {
    url,
    redirectUri: `${url}/callback`,
    issuer: "",
    async [Symbol.asyncDispose]() {
      await server.shutdown();
      await Deno.remove(folder, { recursive: true });
    },
  };
  return client;
}

/** The entry of the app in CLIENTS_FILE. */
export function registrationOf({ redirectUri }: WebClient): Record<string, unknown> {
  return { client_id: CLIENT_ID, client_name: "The web app", redirect_uris: [redirectUri] };
}

/** Returns the address that the app sends people to. */
export function addressOf({ issuer, redirectUri }: WebClient, changes: Record<string, string> = {}): string {
  return `${issuer}/oauth/authorize?${new URLSearchParams({ ...parameters(redirectUri), ...changes })}`;
}

function parameters(redirectUri: string): Record<string, string> {
  return {
    client_id: CLIENT_ID,
    redirect_uri: redirectUri,
    response_type: "code",
    scope: "openid profile email",
    state: "a b&c",
    code_challenge: hashToken(VERIFIER),
    code_challenge_method: "S256",
  };
}

function start(client: WebClient): string {
  const fields = Object.entries(parameters(client.redirectUri)).map(([name, value]) =>
    `<input type="hidden" name="${name}" value="${escaped(value)}">`
  );
  return `<h1>The web app</h1><a href="${escaped(addressOf(client))}">Log in</a>
    <form method="post" action="${client.issuer}/oauth/authorize">${
    fields.join("")
  }<button>Log in by form</button></form>`;
}

function frame(client: WebClient): string {
  return `<h1>Frame</h1><iframe src="${escaped(addressOf(client, { prompt: "none" }))}"></iframe>`;
}

async function signIn({ issuer, redirectUri }: WebClient, answer: URLSearchParams): Promise<string> {
  if (answer.get("iss") !== issuer || answer.get("state") !== "a b&c") return `<h1>A foreign answer</h1>`;
  if (answer.has("error")) return `<h1>Refused: ${escaped(answer.get("error")!)}</h1>`;
  const response = await fetch(`${issuer}/oauth/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "authorization_code",
      client_id: CLIENT_ID,
      redirect_uri: redirectUri,
      code: answer.get("code") ?? "",
      code_verifier: VERIFIER,
    }),
  });
  const { access_token } = await response.json();
  const headers = { Authorization: `Bearer ${access_token}` };
  const { name } = await (await fetch(`${issuer}/oauth/userinfo`, { headers })).json();
  return `<h1>Hello, ${escaped(name)}</h1>`;
}

function page(body: string): Response {
  const html = `<!DOCTYPE html><title>App</title><link rel="icon" href="data:,">${body}`;
  return new Response(html, { headers: { "Content-Type": "text/html; charset=utf-8" } });
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
