import { Auth, type AuthConfig } from "@auth/core";
import type { JWT } from "@auth/core/jwt";
import type { Page } from "../browser/browser.ts";
import type { RunningProgram } from "./programs.ts";
import type { ProductOptions } from "./web_product.ts";

/** The product has two providers of Auth.js for Foyer: one reads claims from the ID token, the other from userinfo. */
export const AUTH_JS_PROVIDERS = { "id-token": true, "userinfo": false };

/** Starts a product that signs people in with Auth.js. Its pages are those of Auth.js, below /auth. */
export function startAuthJsProduct({ issuer, port, clientId, clientSecret }: ProductOptions): RunningProgram {
  const url = `http://localhost:${port}`;

  /** Auth.js has no function for this. Its guide writes it in this way. Source: authjs.dev, Refresh Token Rotation. */
  async function refresh(token: JWT): Promise<JWT> {
    const response = await fetch(`${issuer}/oauth/token`, {
      method: "POST",
      body: new URLSearchParams({
        client_id: clientId,
        client_secret: clientSecret,
        grant_type: "refresh_token",
        refresh_token: token.refreshToken as string,
      }),
    });
    const tokens = await response.json();
    if (!response.ok) throw new Error(tokens.error_description);
    return { ...token, ...tokensOf(tokens) };
  }

  const config: AuthConfig = {
    basePath: "/auth",
    trustHost: true,
    secret: crypto.randomUUID(),
    providers: Object.entries(AUTH_JS_PROVIDERS).map(([id, idToken]) => ({
      id,
      name: `Foyer by ${id}`,
      type: "oidc",
      issuer,
      clientId,
      clientSecret,
      checks: ["pkce", "state", "nonce"],
      idToken,
      style: { logo: "data:," }, // else it comes from the site of Auth.js
    })),
    callbacks: {
      async jwt({ token, account, trigger }) {
        if (account) return { ...token, ...tokensOf(account) };
        return trigger === "update" ? await refresh(token) : token;
      },
      session: ({ session, token: { accessToken, idToken } }) => ({ ...session, accessToken, idToken }),
    },
  };
  const server = Deno.serve({ hostname: "127.0.0.1", port, onListen() {} }, async (req) => {
    const { pathname, search } = new URL(req.url);
    const { method, headers, body } = req;
    const request = new Request(url + pathname + search, { method, headers, body });
    if (pathname.startsWith("/auth/")) return await Auth(request, config);
    return new Response("<!DOCTYPE html><title>Auth.js</title>", { headers: { "Content-Type": "text/html" } });
  });
  return { [Symbol.asyncDispose]: () => server.shutdown() };
}

/** What the product remembers of a response with tokens. */
function tokensOf(response: Record<string, unknown>) {
  return {
    accessToken: response.access_token,
    refreshToken: response.refresh_token,
    idToken: response.id_token,
  };
}

/** What the product tells its own pages about the person. */
export interface AuthJsSession {
  user: { name: string; email: string };
  accessToken: string;
  idToken: string;
}

/** Reads the session on a page of the product, or null for a guest. `isUpdated` refreshes the access token first. */
export async function authJsSession(
  page: Page,
  { basePath, isUpdated = false }: { basePath: string; isUpdated?: boolean },
): Promise<AuthJsSession | null> {
  const session = await page.evaluate(async ({ basePath, isUpdated }) => {
    if (!isUpdated) return await (await fetch(`${basePath}/session`)).json();
    const { csrfToken } = await (await fetch(`${basePath}/csrf`)).json();
    const body = JSON.stringify({ csrfToken, data: {} });
    const headers = { "Content-Type": "application/json" };
    return await (await fetch(`${basePath}/session`, { method: "POST", headers, body })).json();
  }, { basePath, isUpdated });
  return session?.user === undefined ? null : session; // version 4 has an empty session for a guest
}
