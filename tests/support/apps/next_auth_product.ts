import { Issuer, type TokenSet } from "openid-client-5";

/** A product that uses `openid-client` 5 as NextAuth.js 4 does. Source: next-auth 4, core/lib/oauth. */
export interface NextAuthProduct extends AsyncDisposable {
  /** Opens the address of the login with `visit`, and returns the tokens after the callback. */
  signIn(visit: (address: string) => Promise<void>): Promise<TokenSet>;
  userinfo(accessToken: string): Promise<Record<string, unknown>>;
  /** Refreshes as the documentation of NextAuth.js shows: with the secret in the body. */
  refresh(tokens: TokenSet): Promise<{ access_token: string; refresh_token: string }>;
}

/** Starts the product on a port. */
export async function startNextAuthProduct(
  { issuer, port, clientId, clientSecret }: { issuer: string; port: number; clientId: string; clientSecret: string },
): Promise<NextAuthProduct> {
  const redirectUri = `http://localhost:${port}/api/auth/callback/foyer`;
  const { Client, metadata } = await Issuer.discover(`${issuer}/.well-known/openid-configuration`);
  const client = new Client({
    client_id: clientId,
    client_secret: clientSecret,
    redirect_uris: [redirectUri],
    response_types: ["code"],
  });
  const { promise: arrived, resolve } = Promise.withResolvers<string>();
  const server = Deno.serve({ hostname: "127.0.0.1", port, onListen() {} }, ({ url }) => {
    if (new URL(url).pathname.startsWith("/api/auth/callback/")) resolve(url);
    return new Response(`<link rel="icon" href="data:,"><h1>Signed in</h1>`, {
      headers: { "Content-Type": "text/html" },
    });
  });
  return {
    async signIn(visit) {
      const [state, verifier] = [crypto.randomUUID(), crypto.randomUUID() + crypto.randomUUID()];
      const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
      const challenge = new Uint8Array(hash).toBase64({ alphabet: "base64url", omitPadding: true });
      await visit(client.authorizationUrl({
        scope: "openid email profile",
        state,
        code_challenge: challenge,
        code_challenge_method: "S256",
      }));
      const params = client.callbackParams(await arrived);
      return await client.callback(redirectUri, params, { state, code_verifier: verifier });
    },
    userinfo: (accessToken) => client.userinfo(accessToken),
    async refresh({ refresh_token }) {
      const body = new URLSearchParams({
        client_id: clientId,
        client_secret: clientSecret,
        grant_type: "refresh_token",
        refresh_token: refresh_token!,
      });
      const response = await fetch(metadata.token_endpoint!, { method: "POST", body });
      return await response.json();
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
