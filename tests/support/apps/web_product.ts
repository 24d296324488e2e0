import * as openid from "openid-client";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { COOKIE, type ProductPage, renderPage, sessionCookie } from "./product_page.ts";

/** A product with a server, which signs people in with openid-client. */
export interface WebProduct {
  url: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What a product needs to know. */
export interface ProductOptions {
  /** The address of Foyer. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  port: number;
}

/** What the product remembers of someone. A real one would have a database for this. */
interface Session {
  /** A login that has begun. */
  attempt?: { state: string; nonce: string; pkceCodeVerifier: string };
  person?: { tokens: Tokens; expiresAt: Date; sid: unknown; sub: string };
}

type Tokens = openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers;

/** The registration of this product in CLIENTS_FILE. */
export function registrationOf(url: string): Record<string, unknown> {
  return {
    redirect_uris: [`${url}/callback`],
    post_logout_redirect_uris: [`${url}/`],
    backchannel_logout_uri: `${url}/backchannel-logout`,
  };
}

/**
 * Starts the product. It asks for the address of everything when the first person logs in, so Foyer may start later.
 */
export function startWebProduct(options: ProductOptions): WebProduct {
  const url = `http://localhost:${options.port}`;
  const sessions = new Map<string, Session>();
  const product = createProduct(url, options, sessions);
  const routes: Record<string, (visit: Visit) => Promise<Response>> = {
    "GET /": product.home,
    "GET /login": product.logIn,
    "GET /callback": product.finishLogin,
    "POST /refresh": product.refresh,
    "POST /logout": product.logOut,
    "POST /backchannel-logout": product.endSession,
  };
  const server = Deno.serve({ hostname: "127.0.0.1", port: options.port, onListen() {} }, async (req) => {
    const { pathname, search } = new URL(req.url);
    const id = new RegExp(`${COOKIE}=([\\w-]+)`).exec(req.headers.get("cookie") ?? "")?.[1];
    const session = sessions.get(id ?? "") ?? {};
    const route = routes[`${req.method} ${pathname}`] ?? (() => Promise.resolve(new Response(null, { status: 404 })));
    return await route({ req, url: new URL(pathname + search, url), id, session })
      .catch((error) => page({ error: error instanceof Error ? error.message : String(error) }, 500));
  });
  return { url, [Symbol.asyncDispose]: () => server.shutdown() };
}

interface Visit {
  req: Request;
  url: URL;
  id: string | undefined;
  session: Session;
}

function createProduct(
  url: string,
  { issuer, clientId, clientSecret }: ProductOptions,
  sessions: Map<string, Session>,
) {
  let discovered: Promise<openid.Configuration> | undefined;
  const discover = () =>
    discovered ??= openid.discovery(new URL(issuer), clientId, clientSecret, undefined, {
      execute: [openid.allowInsecureRequests], // only for a trial without TLS
    }).catch((error) => {
      discovered = undefined;
      throw error;
    });
  const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`));

  /** Remembers someone under a new id: an attacker may have planted the old one in the browser. */
  function remember(session: Session, old: string | undefined, response: Response): Response {
    sessions.delete(old ?? "");
    const id = crypto.randomUUID();
    sessions.set(id, session);
    response.headers.append("Set-Cookie", sessionCookie(id));
    return response;
  }

  function personOf(tokens: Tokens) {
    const { sub, sid } = tokens.claims()!;
    return { tokens, sub, sid, expiresAt: new Date(Date.now() + tokens.expires_in! * 1000) };
  }

  return {
    async home({ session: { person } }: Visit) {
      if (person === undefined) return page({});
      const config = await discover();
      const { tokens, sub, expiresAt } = person;
      // Fails as soon as the access has ended, even if the token has not expired.
      const userinfo = await openid.fetchUserInfo(config, tokens.access_token, sub).catch(() => null);
      return page({ userinfo: userinfo ?? undefined, hasEnded: userinfo === null, claims: tokens.claims(), expiresAt });
    },

    async logIn({ id }: Visit) {
      const config = await discover();
      const pkceCodeVerifier = openid.randomPKCECodeVerifier();
      const attempt = { state: openid.randomState(), nonce: openid.randomNonce(), pkceCodeVerifier };
      const address = openid.buildAuthorizationUrl(config, {
        redirect_uri: `${url}/callback`,
        scope: "openid profile email",
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: "S256",
      });
      return remember({ attempt }, id, redirect(address));
    },

    async finishLogin({ url, id, session: { attempt } }: Visit) {
      if (attempt === undefined) return redirect("/login");
      const tokens = await openid.authorizationCodeGrant(await discover(), url, {
        expectedState: attempt.state,
        expectedNonce: attempt.nonce,
        pkceCodeVerifier: attempt.pkceCodeVerifier,
        idTokenExpected: true,
      });
      return remember({ person: personOf(tokens) }, id, redirect("/"));
    },

    async refresh({ session }: Visit) {
      const { person } = session;
      if (person === undefined) return redirect("/");
      // A refresh token works once. If the response gets lost, the same one may be sent again within a minute.
      const tokens = await openid.refreshTokenGrant(await discover(), person.tokens.refresh_token!);
      session.person = personOf(tokens);
      return redirect("/");
    },

    async logOut({ id, session: { person } }: Visit) {
      sessions.delete(id ?? "");
      if (person === undefined) return redirect("/");
      const address = openid.buildEndSessionUrl(await discover(), {
        id_token_hint: person.tokens.id_token!,
        post_logout_redirect_uri: `${url}/`,
      });
      return redirect(address);
    },

    /** Foyer sends this when someone logs out there, or is logged out. Source: OpenID Connect Back-Channel Logout. */
    async endSession({ req }: Visit) {
      const token = (await req.formData()).get("logout_token");
      const { payload: { sid, events } } = await jwtVerify(String(token), keys, {
        issuer,
        audience: clientId,
        typ: "logout+jwt",
        requiredClaims: ["sid", "jti"],
      });
      if (!(events as object)["http://schemas.openid.net/event/backchannel-logout" as never]) throw new Error("events");
      for (const [id, { person }] of sessions) if (person?.sid === sid) sessions.delete(id);
      return new Response(null, { status: 204 });
    },
  };
}

function page(content: ProductPage, status = 200): Response {
  const headers = { "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store" };
  return new Response(renderPage(content), { status, headers });
}

function redirect(address: string | URL): Response {
  return new Response(null, { status: 303, headers: { Location: String(address) } });
}
