import { generateSigningKey, idToken, isRightRequest, publicJwk } from "./id_token.ts";

/** The endpoints of the provider. */
export type Endpoint = "discovery" | "jwks" | "token" | "userinfo";

/** The ways in which the provider misbehaves. */
export interface Behavior {
  /** Claims that replace the correct ones in ID tokens. `undefined` removes a claim. */
  claims: Record<string, unknown>;
  /** Metadata that discovery adds or replaces. */
  metadata: Record<string, unknown>;
  signature: "right" | "wrong" | "none";
  /** Endpoints that accept a request and never respond. */
  silent: Endpoint[];
  /** Endpoints that redirect to themselves. */
  redirecting: Endpoint[];
  /** Endpoints that fail with a status and a body. */
  failures: Partial<Record<Endpoint, [status: number, body: Record<string, unknown>]>>;
  /** The body that the token endpoint sends instead of tokens. */
  tokens: string | null;
}

export const GOOD_BEHAVIOR: Behavior = {
  claims: {},
  metadata: {},
  signature: "right",
  silent: [],
  redirecting: [],
  failures: {},
  tokens: null,
};

/** A provider that misbehaves on request, as real ones cannot. */
export interface FalseProvider extends Behavior {
  issuer: string;
  /** The environment of an app that uses the provider through discovery, and of one that uses its three addresses. */
  env: Record<string, string>;
  plainEnv: Record<string, string>;
  /** The content of userinfo. */
  userinfo: Record<string, unknown>;
  /** The endpoints that have received requests so far, in order. */
  requests: Endpoint[];
  /** Replaces the signing key and stops publishing the old one. */
  rotateKeys(): Promise<void>;
  /** Gives consent and returns the callback address, where the browser is redirected. */
  consent(consentScreen: string): URL;
  [Symbol.asyncDispose](): Promise<void>;
}

const CLIENT = { IDP_CLIENT_ID: "foyer", IDP_CLIENT_SECRET: "s3cret: with % signs" };
/** Starts a provider on `localhost`. It signs in the person whose `sub` is in userinfo. */
export async function startFalseProvider(): Promise<FalseProvider> {
  const wrong = await generateSigningKey();
  let right = await generateSigningKey();
  const consents = new Map<string, URLSearchParams>();
  const released = Promise.withResolvers<Response>();

  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (req) => {
    const { pathname } = new URL(req.url);
    const endpoint = pathname === "/.well-known/openid-configuration" ? "discovery" : pathname.slice(1) as Endpoint;
    provider.requests.push(endpoint);
    if (provider.silent.includes(endpoint)) return await released.promise;
    if (provider.redirecting.includes(endpoint)) return Response.redirect(new URL("?again", req.url));
    const failure = provider.failures[endpoint];
    if (failure !== undefined) return Response.json(failure[1], { status: failure[0] });
    return await answers[endpoint]?.(req) ?? new Response(null, { status: 404 });
  });
  const issuer = `http://localhost:${server.addr.port}`;

  const answers: Record<Endpoint, (req: Request) => Response | Promise<Response>> = {
    discovery: () =>
      Response.json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
        jwks_uri: `${issuer}/jwks`,
        ...provider.metadata,
      }),
    jwks: async () => Response.json({ keys: [await publicJwk(right)] }),
    async token(req) {
      const form = new URLSearchParams(await req.text());
      const code = form.get("code") ?? "";
      const asked = consents.get(code);
      consents.delete(code);
      if (!isRightClient(req, form) || !await isRightRequest(form, asked)) {
        return Response.json({ error: "invalid_grant" }, { status: 400 });
      }
      if (provider.tokens !== null) return new Response(provider.tokens);
      return Response.json({ access_token: "access", token_type: "Bearer", id_token: await tokenFor(asked!) });
    },
    userinfo: (req) =>
      req.headers.get("authorization") === "Bearer access"
        ? Response.json(provider.userinfo)
        : new Response(null, { status: 401 }),
  };

  /** Accepts only the authentication method that discovery announces. */
  function isRightClient(req: Request, form: URLSearchParams): boolean {
    const [basicId, basicSecret] = atob(req.headers.get("authorization")?.slice("Basic ".length) ?? "").split(":");
    const isPost = provider.metadata.token_endpoint_auth_methods_supported !== undefined;
    const id = isPost ? form.get("client_id") : basicId;
    const secret = isPost ? form.get("client_secret") : new URLSearchParams(`secret=${basicSecret}`).get("secret");
    return id === CLIENT.IDP_CLIENT_ID && secret === CLIENT.IDP_CLIENT_SECRET;
  }

  async function tokenFor(asked: URLSearchParams): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: issuer,
      aud: CLIENT.IDP_CLIENT_ID,
      sub: provider.userinfo.sub,
      nonce: asked.get("nonce") ?? undefined,
      iat: now,
      exp: now + 60,
      ...provider.claims,
    };
    if (provider.signature === "none") return await idToken(claims, null, right.kid);
    return await idToken(claims, provider.signature === "right" ? right : wrong, right.kid);
  }

  const provider: FalseProvider = {
    issuer,
    env: { IDP_ISSUER: issuer, ...CLIENT },
    plainEnv: {
      IDP_AUTH_URL: `${issuer}/authorize`,
      IDP_TOKEN_URL: `${issuer}/token`,
      IDP_USERINFO_URL: `${issuer}/userinfo`,
      ...CLIENT,
    },
    userinfo: {},
    ...GOOD_BEHAVIOR,
    requests: [],
    async rotateKeys() {
      right = await generateSigningKey();
    },
    consent(consentScreen) {
      const { searchParams } = new URL(consentScreen);
      const code = crypto.randomUUID();
      consents.set(code, searchParams);
      const callback = new URL(searchParams.get("redirect_uri")!);
      callback.search = String(new URLSearchParams({ code, state: searchParams.get("state")!, iss: issuer }));
      return callback;
    },
    async [Symbol.asyncDispose]() {
      released.resolve(new Response());
      await server.shutdown();
    },
  };
  return provider;
}
