import { isRightRequest } from "./id_token.ts";
import { envOf } from "./idp.ts";

/** How a provider's token endpoint differs from the standards. */
interface Dialect {
  /** The path of userinfo, with its query. */
  userinfo: string;
  /** Where the secret must be. */
  secretIn: "header" | "body" | "either";
  /** What happens to a code verifier. */
  verifier: "required" | "ignored" | "refused";
  /** The response to a wrong request. */
  refusal: { status: number; body: unknown };
}

const INVALID_CLIENT = { error: "invalid_client", error_description: "Client authentication failed" };

/**
 * The plain OAuth 2.0 providers with a preset. Sources: the pages that `PRESETS` names. LinkedIn answers a code
 * verifier with the error of a wrong secret.
 */
const DIALECTS: Record<string, Dialect> = {
  discord: {
    userinfo: "/users/@me",
    secretIn: "either",
    verifier: "required",
    refusal: { status: 400, body: { error: "invalid_grant" } },
  },
  facebook: {
    userinfo: "/me?fields=id,name,email,picture.width(512)",
    secretIn: "body",
    verifier: "ignored",
    refusal: { status: 400, body: { error: { message: "Invalid code", type: "OAuthException", code: 100 } } },
  },
  linkedin: {
    userinfo: "/v2/userinfo",
    secretIn: "body",
    verifier: "refused",
    refusal: { status: 401, body: INVALID_CLIENT },
  },
  x: {
    userinfo: "/2/users/me?user.fields=confirmed_email,profile_image_url",
    secretIn: "header",
    verifier: "required",
    refusal: { status: 401, body: INVALID_CLIENT },
  },
};

const SECRET = "secret-of-the-provider";

/** Several providers that behave as their documents say, each below a path with its key. */
export interface FakeSocial {
  /** The environment of an app that uses them by their presets. */
  env: Record<string, string>;
  /** What userinfo says next. */
  profile: Record<string, unknown>;
  /** Gives consent and returns the callback address. */
  consent(consentScreen: string): URL;
  [Symbol.asyncDispose](): Promise<void>;
}

export function startFakeSocial(): FakeSocial {
  const asked = new Map<string, URLSearchParams>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (req) => {
    const { pathname, search } = new URL(req.url);
    const [, key, path] = /^\/(\w+)(.*)$/.exec(pathname)!;
    const { userinfo, refusal } = DIALECTS[key];
    if (path === "/token") {
      const isRight = await isRightCode(key, req);
      if (!isRight) return Response.json(refusal.body, { status: refusal.status });
      return Response.json({ access_token: `token of ${key}`, token_type: "bearer", expires_in: 3600 });
    }
    const isRight = path + decodeURIComponent(search) === userinfo &&
      req.headers.get("authorization") === `Bearer token of ${key}`;
    return isRight ? Response.json(social.profile) : new Response(null, { status: 401 });
  });
  const origin = `http://localhost:${server.addr.port}`;

  async function isRightCode(key: string, req: Request): Promise<boolean> {
    const { secretIn, verifier } = DIALECTS[key];
    const form = new URLSearchParams(await req.text());
    const code = form.get("code") ?? "";
    const request = asked.get(code);
    asked.delete(code);
    const isInHeader = req.headers.get("authorization") === `Basic ${btoa(`${key}-app:${SECRET}`)}`;
    const isInBody = form.get("client_id") === `${key}-app` && form.get("client_secret") === SECRET;
    if (secretIn === "header" ? !isInHeader : secretIn === "body" ? !isInBody : !isInHeader && !isInBody) return false;
    if (verifier === "required") return await isRightRequest(form, request);
    return form.get("redirect_uri") === request?.get("redirect_uri") &&
      !(verifier === "refused" && form.has("code_verifier"));
  }

  const social: FakeSocial = {
    env: Object.fromEntries(
      Object.entries(DIALECTS).flatMap(([key, { userinfo }]) => {
        const variables = {
          IDP_AUTH_URL: `${origin}/${key}/authorize`,
          IDP_TOKEN_URL: `${origin}/${key}/token`,
          IDP_USERINFO_URL: `${origin}/${key}${userinfo}`,
          IDP_CLIENT_ID: `${key}-app`,
          IDP_CLIENT_SECRET: SECRET,
        };
        return Object.entries(envOf(key, variables));
      }),
    ),
    profile: {},
    consent(consentScreen) {
      const { searchParams } = new URL(consentScreen);
      const code = crypto.randomUUID();
      asked.set(code, searchParams);
      const callback = new URL(searchParams.get("redirect_uri")!);
      callback.search = String(new URLSearchParams({ code, state: searchParams.get("state")! }));
      return callback;
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
  return social;
}
