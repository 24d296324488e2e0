import * as oauth from "oauth4webapi";

/** A program on someone's computer, which signs people in with oauth4webapi. */
export interface DesktopProgram {
  /** Signs in: `visit` opens an address in the browser, and ends when the browser shows `ANSWERED`. */
  signIn(visit: (address: string) => Promise<void>): Promise<oauth.TokenEndpointResponse>;
  refresh(refreshToken: string): Promise<oauth.TokenEndpointResponse>;
  userinfo(accessToken: string, sub: string): Promise<oauth.UserInfoResponse>;
  /** Ends the access, and returns the status of userinfo after it. */
  endAccess(tokens: oauth.TokenEndpointResponse): Promise<number>;
  /** The address that logs the person out in the browser. */
  logoutAddress(tokens: oauth.TokenEndpointResponse): string;
}

/** What the browser shows when the program has its code. A page that is opened before this one races with it. */
export const ANSWERED = "You can close this window.";
const SCOPE = "openid profile email offline_access";
const insecure = { [oauth.allowInsecureRequests]: true }; // only for a trial without TLS

/** Reads where everything is. A program has no secret, unless it stands for a product that has. */
export async function openDesktopProgram(
  issuer: string,
  clientId: string,
  authentication: oauth.ClientAuth = oauth.None(),
): Promise<DesktopProgram> {
  const url = new URL(issuer);
  const server = await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, insecure));
  const client: oauth.Client = { client_id: clientId };
  return {
    async signIn(visit) {
      const { promise: address, resolve } = Promise.withResolvers<URL>();
      // Any free port will do, because Foyer accepts every port of a registered address on this machine.
      await using listener = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, ({ url }) => {
        if (new URL(url).pathname === "/callback") resolve(new URL(url));
        return new Response(ANSWERED, { headers: { "Content-Type": "text/plain" } });
      });
      const redirectUri = `http://127.0.0.1:${listener.addr.port}/callback`;
      const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
      const nonce = oauth.generateRandomNonce();
      const parameters = new URLSearchParams({
        client_id: clientId,
        redirect_uri: redirectUri,
        response_type: "code",
        scope: SCOPE,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        state,
        nonce,
      });
      await visit(`${server.authorization_endpoint}?${parameters}`);
      const received = oauth.validateAuthResponse(server, client, await address, state);
      const exchange = [server, client, authentication, received, redirectUri, verifier, insecure] as const;
      const response = await oauth.authorizationCodeGrantRequest(...exchange);
      const checks = { expectedNonce: nonce, requireIdToken: true };
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, checks);
      await oauth.validateApplicationLevelSignature(server, response, insecure);
      return tokens;
    },
    async refresh(refreshToken) {
      const response = await oauth.refreshTokenGrantRequest(server, client, authentication, refreshToken, insecure);
      return await oauth.processRefreshTokenResponse(server, client, response);
    },
    async userinfo(accessToken, sub) {
      const response = await oauth.userInfoRequest(server, client, accessToken, insecure);
      return await oauth.processUserInfoResponse(server, client, sub, response);
    },
    async endAccess({ access_token, refresh_token }) {
      const response = await oauth.revocationRequest(server, client, authentication, refresh_token!, insecure);
      await oauth.processRevocationResponse(response);
      return (await oauth.userInfoRequest(server, client, access_token, insecure)).status;
    },
    logoutAddress({ id_token }) {
      return `${server.end_session_endpoint}?${new URLSearchParams({ id_token_hint: id_token! })}`;
    },
  };
}
