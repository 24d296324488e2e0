import { parseCookie, parseSetCookie } from "cookie";

/** An HTTP client that keeps cookies, as a browser does. */
export interface TestClient {
  cookies: Map<string, string>;
  get(path: string, headers?: HeadersInit): Promise<Response>;
  /** Sends JSON. */
  send(method: "POST" | "PUT", path: string, body: unknown, headers?: HeadersInit): Promise<Response>;
  /** Submits a form, as a page of the app does. */
  submit(path: string, fields: Record<string, string>): Promise<Response>;
  request(path: string, init?: RequestInit): Promise<Response>;
}

/** How a client reaches the app. */
export interface ClientOptions {
  /** The URL at which the app listens. */
  server: string;
  /** The app's public origin. */
  origin: string;
  /** The network address that the app sees. */
  address: string;
  /** The header that tells it the address. */
  addressHeader?: string;
}

/** The header with the network address that a test client simulates. All clients run on this machine. */
export const ADDRESS_HEADER = "x-test-client-address";

export function createClient({ server, origin, address, addressHeader = ADDRESS_HEADER }: ClientOptions): TestClient {
  const cookies = new Map<string, string>();

  async function request(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(parseCookie(headers.get("cookie") ?? ""))) cookies.set(name, value!);
    if (cookies.size > 0) headers.set("Cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    headers.set(addressHeader, address);
    const response = await whole(await fetch(server + path, { ...init, headers, redirect: "manual" }));
    for (const line of response.headers.getSetCookie()) {
      const { name, value, maxAge } = parseSetCookie(line, { decode: (raw) => raw });
      if (maxAge === 0 || !value) cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  }

  return {
    cookies,
    request,
    get: (path, headers) => request(path, { headers }),
    send: (method, path, body, headers = {}) =>
      request(path, {
        method,
        body: JSON.stringify(body),
        headers: { "Content-Type": "application/json", ...headers },
      }),
    submit: (path, fields) =>
      request(path, { method: "POST", body: new URLSearchParams(fields), headers: { Origin: origin } }),
  };
}

/** Returns what a refusal of the API says. */
export async function problemOf(response: Response): Promise<[status: number, code: string, details: unknown]> {
  const { code, details } = await response.json();
  return [response.status, code, details];
}

/** The same without the details. */
export async function statusAndCode(response: Response): Promise<[status: number, code: string]> {
  const [status, code] = await problemOf(response);
  return [status, code];
}

/** Returns the status, and of a refusal also the code, in one text. */
export async function outcomeOf(sent: Response | Promise<Response>): Promise<string> {
  const response = await sent;
  return response.ok ? String(response.status) : (await statusAndCode(response)).join(" ");
}

/** Gives a client the cookies of another, and returns it. */
export function withCookies(client: TestClient, { cookies }: TestClient): TestClient {
  for (const [name, value] of cookies) client.cookies.set(name, value);
  return client;
}

/** Reads the body of the response, so that tests which ignore it leave nothing open. */
async function whole(response: Response): Promise<Response> {
  const bytes = await response.bytes();
  const { status, headers } = response;
  return new Response(bytes.length === 0 ? null : bytes, { status, headers });
}
