import { parseSetCookie } from "cookie";

/** A minimal browser: keeps the cookies of every host and follows redirects between hosts. */
export interface Visitor {
  /** Returns the cookies of a host, by name. As in browsers, all ports of a host share them. */
  cookiesOf(hostname: string): Map<string, string>;
  /** Sends a request without following redirects. */
  fetch(address: string, init?: RequestInit): Promise<Response>;
  /** Sends a request and follows redirects, but not to a URL that starts with `stopBefore`. */
  follow(address: string, init?: RequestInit, options?: { stopBefore?: string }): Promise<Visit>;
}

export interface Visit {
  url: string;
  /** Null if the redirect to `url` was not followed. */
  response: Response | null;
  body: string;
}

const REDIRECTS_MAX = 10;

export function createVisitor(): Visitor {
  const jar = new Map<string, Map<string, string>>();
  const cookiesOf = (hostname: string) => jar.getOrInsertComputed(hostname, () => new Map());

  async function visit(address: string, init: RequestInit = {}): Promise<Response> {
    const cookies = cookiesOf(new URL(address).hostname);
    const headers = new Headers(init.headers);
    if (cookies.size > 0) headers.set("Cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    const response = await fetch(address, { ...init, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) {
      const { name, value, maxAge, expires } = parseSetCookie(line);
      if (maxAge === 0 || !value || (expires && expires.getTime() < Date.now())) cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  }

  async function follow(address: string, init: RequestInit = {}, { stopBefore = "never" } = {}): Promise<Visit> {
    let url = address;
    let response = await visit(url, init);
    for (let redirects = 0; redirects < REDIRECTS_MAX; redirects++) {
      const location = response.headers.get("location");
      const body = await response.text();
      if (location === null) return { url, response, body };
      url = new URL(location, url).href;
      if (url.startsWith(stopBefore)) return { url, response: null, body: "" };
      response = await visit(url);
    }
    throw new Error(`Too many redirects: more than ${REDIRECTS_MAX}, the last to ${url}`);
  }

  return { cookiesOf, fetch: visit, follow };
}
