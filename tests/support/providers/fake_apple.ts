import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { decodeProtectedHeader, jwtVerify } from "jose";
import { generateSigningKey, idToken, publicJwk } from "./id_token.ts";

/** A person with an Apple account. */
export interface ApplePerson {
  sub: string;
  /** What Apple says at the first sign-in only. */
  name?: { firstName?: string; lastName?: string };
  /** Their own address, or one that forwards to it. */
  email?: string;
  /** Apple writes it as a text. */
  email_verified?: unknown;
  is_private_email?: unknown;
}

/** The form with which Apple sends a browser back. */
export interface ApplePost {
  /** The path of the callback. */
  path: string;
  fields: Record<string, string>;
}

/** A provider that behaves like Apple: signed client secrets, an answer that is posted, no userinfo. */
export interface FakeApple {
  issuer: string;
  /** The environment of an app that uses it by the preset. */
  env: Record<string, string>;
  person: ApplePerson;
  /** The clock with which client secrets are checked. */
  now(): Date;
  /** The client secrets that it has got. */
  secrets: string[];
  /** Why the token endpoint refused requests. */
  refusals: string[];
  /** Gives consent and returns the form. Says who the person is only once, unless they revoke their consent. */
  consent(consentScreen: string): ApplePost;
  cancel(consentScreen: string): ApplePost;
  revoke(sub: string): void;
  [Symbol.asyncDispose](): Promise<void>;
}

const CLIENT_ID = "example.foyer.web";
const [TEAM_ID, KEY_ID] = ["A1B2C3D4E5", "F6G7H8I9J0"];
const APPLE = "https://appleid.apple.com";
const SECRET_SECONDS = 300;

/** Source: developer.apple.com, "Sign in with Apple REST API". */
export async function startFakeApple(): Promise<FakeApple> {
  const key = await generateSigningKey();
  const ours = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const asked = new Map<string, URLSearchParams>();
  const known = new Set<string>();

  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (req) => {
    const { pathname } = new URL(req.url);
    if (pathname === "/.well-known/openid-configuration") return Response.json(metadata());
    if (pathname === "/auth/keys") return Response.json({ keys: [await publicJwk(key)] });
    if (pathname === "/auth/token") return await tokens(new URLSearchParams(await req.text()));
    if (pathname === "/auth/authorize") return page(apple.consent(req.url), req.url);
    return new Response(null, { status: 404 });
  });
  const issuer: string = `http://localhost:${server.addr.port}`;

  function metadata() {
    return {
      issuer,
      authorization_endpoint: `${issuer}/auth/authorize`,
      token_endpoint: `${issuer}/auth/token`,
      jwks_uri: `${issuer}/auth/keys`,
      response_modes_supported: ["query", "fragment", "form_post"],
      token_endpoint_auth_methods_supported: ["client_secret_post"],
      id_token_signing_alg_values_supported: ["RS256"],
      scopes_supported: ["openid", "email", "name"],
    };
  }

  async function tokens(form: URLSearchParams): Promise<Response> {
    const secret = form.get("client_secret") ?? "";
    const code = form.get("code") ?? "";
    const request = asked.get(code);
    asked.delete(code);
    const reason = await secretProblem(secret) ??
      (form.get("redirect_uri") === request?.get("redirect_uri") ? null : "redirect_uri");
    if (reason !== null) {
      apple.refusals.push(reason);
      return Response.json({ error: "invalid_client" }, { status: 400 });
    }
    const now = Math.floor(Date.now() / 1000);
    const { name: _unsigned, ...claims } = apple.person;
    const signed = {
      iss: issuer,
      aud: CLIENT_ID,
      iat: now,
      exp: now + 60,
      nonce: request!.get("nonce") ?? undefined,
      nonce_supported: true,
      ...claims,
    };
    return Response.json({
      access_token: "access",
      token_type: "Bearer",
      expires_in: 3600,
      refresh_token: "refresh",
      id_token: await idToken(signed, key),
    });
  }

  async function secretProblem(secret: string): Promise<string | null> {
    apple.secrets.push(secret);
    try {
      const { payload } = await jwtVerify(secret, ours.publicKey as KeyObject, {
        algorithms: ["ES256"],
        issuer: TEAM_ID,
        subject: CLIENT_ID,
        audience: APPLE,
        currentDate: apple.now(),
        requiredClaims: ["iat", "exp"],
      });
      if (payload.exp! - payload.iat! !== SECRET_SECONDS) return "the lifetime of the secret";
      return decodeProtectedHeader(secret).kid === KEY_ID ? null : "kid";
    } catch (error) {
      return String(error);
    }
  }

  /** Says with which parameter Apple would show an error instead of the consent screen. */
  function requireRightRequest(request: URLSearchParams): void {
    const expected = {
      client_id: CLIENT_ID,
      response_type: "code",
      response_mode: "form_post",
      scope: "name email",
    };
    for (const [name, value] of Object.entries(expected)) {
      if (request.get(name) !== value) throw new Error(`invalid_request: ${name} is ${request.get(name)}`);
    }
  }

  function postTo(request: URLSearchParams, fields: Record<string, string>): ApplePost {
    const { pathname } = new URL(request.get("redirect_uri")!);
    return { path: pathname, fields: { state: request.get("state")!, ...fields } };
  }

  /** Continues when the person presses a button, as Apple does after the password. */
  function page({ fields }: ApplePost, consentScreen: string): Response {
    const action = new URL(consentScreen).searchParams.get("redirect_uri")!;
    const inputs = Object.entries(fields).map(([name, value]) =>
      `<input type="hidden" name="${name}" value="${value.replaceAll('"', "&quot;")}">`
    );
    const html = `<!DOCTYPE html><title>Apple</title><form method="post" action="${action}">${inputs.join("")}` +
      `<button>Continue as ${apple.person.sub}</button></form>`;
    return new Response(html, { headers: { "Content-Type": "text/html; charset=utf-8" } });
  }

  const apple: FakeApple = {
    issuer,
    env: {
      IDP_APPLE_ISSUER: issuer,
      IDP_APPLE_CLIENT_ID: CLIENT_ID,
      IDP_APPLE_TEAM_ID: TEAM_ID,
      IDP_APPLE_KEY_ID: KEY_ID,
      IDP_APPLE_PRIVATE_KEY: String(ours.privateKey.export({ type: "pkcs8", format: "pem" })).replaceAll("\n", "\\n"),
    },
    person: { sub: "nobody" },
    now: () => new Date(),
    secrets: [],
    refusals: [],
    consent(consentScreen) {
      const { searchParams } = new URL(consentScreen);
      requireRightRequest(searchParams);
      const { sub, name, email } = apple.person;
      const code = `c.${crypto.randomUUID()}.0.srsxr`;
      asked.set(code, searchParams);
      const isKnown = known.has(sub);
      known.add(sub);
      return postTo(searchParams, isKnown ? { code } : { code, user: JSON.stringify({ name, email }) });
    },
    cancel(consentScreen) {
      return postTo(new URL(consentScreen).searchParams, { error: "user_cancelled_authorize" });
    },
    revoke(sub) {
      known.delete(sub);
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
  return apple;
}
