import { generateSigningKey, idToken, isRightRequest, publicJwk } from "./id_token.ts";

/** A person of a Microsoft tenant. */
export interface MicrosoftPerson {
  /** The tenant that signs the person in. */
  tid: string;
  sub: string;
  name: string;
  /** The tenant's administrators can enter any address. Absent for people without a mailbox. */
  email?: string;
  /** The optional claim, absent unless the app registration asks for it. */
  xms_edov?: unknown;
}

/** A provider that behaves like Microsoft Entra: several tenants, no `email_verified`, one set of keys. */
export interface FakeMicrosoft {
  /** The environment of an app that uses one of its tenants by the preset. */
  env: Record<string, string>;
  tenant: string;
  person: MicrosoftPerson;
  /** Gives consent and returns the callback address. */
  consent(consentScreen: string): URL;
  [Symbol.asyncDispose](): Promise<void>;
}

const CLIENT = { IDP_MICROSOFT_CLIENT_ID: crypto.randomUUID(), IDP_MICROSOFT_CLIENT_SECRET: "microsoft~secret" };

/** Source: learn.microsoft.com, "ID token claims reference" and "Microsoft identity platform UserInfo endpoint". */
export async function startFakeMicrosoft({ tenant = crypto.randomUUID() } = {}): Promise<FakeMicrosoft> {
  const key = await generateSigningKey();
  const codes = new Map<string, URLSearchParams>();

  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (req) => {
    const [, first, ...rest] = new URL(req.url).pathname.split("/");
    if (first === "oidc") return Response.json(userinfo());
    if (rest.join("/") === "v2.0/.well-known/openid-configuration") return Response.json(metadata(first));
    if (rest.join("/") === "discovery/v2.0/keys") return Response.json({ keys: [await publicJwk(key)] });
    if (rest.join("/") === "oauth2/v2.0/token") return await tokens(new URLSearchParams(await req.text()), req);
    return new Response(null, { status: 404 });
  });
  const origin: string = `http://localhost:${server.addr.port}`;
  const issuerOf = (tid: string): string => `${origin}/${tid}/v2.0`;

  function metadata(tid: string): Record<string, unknown> {
    return {
      issuer: issuerOf(tid),
      authorization_endpoint: `${origin}/${tid}/oauth2/v2.0/authorize`,
      token_endpoint: `${origin}/${tid}/oauth2/v2.0/token`,
      token_endpoint_auth_methods_supported: ["client_secret_post", "private_key_jwt", "client_secret_basic"],
      jwks_uri: `${origin}/${tid}/discovery/v2.0/keys`,
      userinfo_endpoint: `${origin}/oidc/userinfo`,
      id_token_signing_alg_values_supported: ["RS256"],
    };
  }

  /** Userinfo has the address too, but never says whether it is verified. */
  function userinfo() {
    const { sub, name, email } = microsoft.person;
    return { sub, name, email, picture: "https://graph.microsoft.com/v1.0/me/photo/$value" };
  }

  async function tokens(form: URLSearchParams, req: Request): Promise<Response> {
    const asked = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const isClient = req.headers.get("authorization")?.startsWith("Basic ") || form.has("client_secret");
    if (!isClient || !await isRightRequest(form, asked)) {
      return Response.json({ error: "invalid_grant", error_description: "AADSTS70000" }, { status: 400 });
    }
    const { tid, ...person } = microsoft.person;
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      ...person,
      ver: "2.0",
      iss: issuerOf(tid),
      aud: CLIENT.IDP_MICROSOFT_CLIENT_ID,
      tid,
      oid: crypto.randomUUID(),
      preferred_username: person.email ?? `${person.sub}@contoso.onmicrosoft.com`,
      nonce: asked!.get("nonce"),
      iat: now,
      nbf: now,
      exp: now + 3600,
    };
    return Response.json({ token_type: "Bearer", access_token: "opaque", id_token: await idToken(claims, key) });
  }

  const microsoft: FakeMicrosoft = {
    env: { IDP_MICROSOFT_TENANT: tenant, IDP_MICROSOFT_ISSUER: issuerOf(tenant), ...CLIENT },
    tenant,
    person: { tid: tenant, sub: "nobody", name: "No One" },
    consent(consentScreen) {
      const { searchParams } = new URL(consentScreen);
      const code = crypto.randomUUID();
      codes.set(code, searchParams);
      const callback = new URL(searchParams.get("redirect_uri")!);
      callback.search = String(
        new URLSearchParams({ code, state: searchParams.get("state")!, session_state: crypto.randomUUID() }),
      );
      return callback;
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
  return microsoft;
}
