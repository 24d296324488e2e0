import { text } from "node:stream/consumers";
import { type ClientMetadata, type Configuration, interactionPolicy, Provider } from "oidc-provider";
import { HOUR_SECONDS } from "../../../lib/duration.ts";

/** A person who can sign in at the provider. */
export interface Person {
  sub: string;
  name: string;
  email: string;
  email_verified: boolean;
  picture?: string;
}

export const ADA: Person = { sub: "ada", name: "Ada Lovelace", email: "ada@example.com", email_verified: true };
export const GRACE: Person = { sub: "grace", name: "Grace Hopper", email: "grace@example.com", email_verified: true };

export const CLIENT_ID = "foyer";
export const CLIENT_SECRET = "not-a-secret-outside-of-this-machine";

/** A running OpenID Connect provider. */
export interface OidcProvider {
  issuer: string;
  /** The people who can sign in, by `sub`. Tests may change them. */
  people: Map<string, Person>;
  /** The environment of an app that uses the provider. */
  env: Record<string, string>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** How a provider differs from the usual one. */
export interface OidcDialect {
  client?: Partial<ClientMetadata>;
  configuration?: Configuration;
  /** Adds middleware, or replaces methods. */
  adapt?(provider: Provider): void;
}

/**
 * Starts a real OpenID Connect provider on `localhost`, which browsers treat as a different site from 127.0.0.1. Each
 * sign-in shows a list of people to choose from and needs no password.
 */
export async function startOidcProvider(
  { redirectUri, port = 0, people = [ADA, GRACE], dialect = {} }: {
    redirectUri: string;
    port?: number;
    people?: Person[];
    dialect?: OidcDialect;
  },
): Promise<OidcProvider> {
  using reserved = Deno.listen({ hostname: "127.0.0.1", port });
  const issuer = `http://localhost:${reserved.addr.port}`;
  reserved.close();

  const known = new Map(people.map((person) => [person.sub, person]));
  const client = {
    client_id: CLIENT_ID,
    client_secret: CLIENT_SECRET,
    redirect_uris: [redirectUri],
    ...dialect.client,
  };
  const provider = new Provider(issuer, { ...await configuration(known, client), ...dialect.configuration });
  dialect.adapt?.(provider);
  provider.use(async (ctx, next) => {
    if (ctx.path.startsWith("/choose/")) await choose(provider, ctx, known);
    else if (ctx.path === "/favicon.ico") ctx.status = 204;
    else await next();
  });
  const server = provider.listen(reserved.addr.port, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    issuer,
    people: known,
    env: { IDP_ISSUER: issuer, IDP_CLIENT_ID: CLIENT_ID, IDP_CLIENT_SECRET: CLIENT_SECRET },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function configuration(people: Map<string, Person>, client: ClientMetadata): Promise<Configuration> {
  const policy = interactionPolicy.base();
  const ask = new interactionPolicy.Check(
    "no_one_chosen",
    "A person must be chosen",
    (ctx) => ctx.oidc.result?.login === undefined,
  );
  policy.get("login")!.checks.add(ask);
  return {
    clients: [client],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "picture"] },
    jwks: { keys: [await signingKey()] },
    ttl: {
      Interaction: HOUR_SECONDS,
      Session: HOUR_SECONDS,
      Grant: HOUR_SECONDS,
      AccessToken: HOUR_SECONDS,
      IdToken: HOUR_SECONDS,
    },
    cookies: { keys: [crypto.randomUUID()] },
    features: { devInteractions: { enabled: false } },
    interactions: { policy, url: (_ctx, interaction) => `/choose/${interaction.uid}` },
    findAccount(_ctx, sub) {
      const person = people.get(sub);
      return person && { accountId: sub, claims: () => ({ ...person }) };
    },
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({ accountId: oidc.session!.accountId, clientId: oidc.client!.clientId });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
  };
}

async function signingKey() {
  const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength: 2048 };
  const publicExponent = new Uint8Array([1, 0, 1]);
  const { privateKey } = await crypto.subtle.generateKey({ ...algorithm, publicExponent }, true, ["sign", "verify"]);
  const { key_ops: _all, ext: _always, ...jwk } = await crypto.subtle.exportKey("jwk", privateKey);
  return { ...jwk, kty: "RSA" as const, use: "sig" };
}

type KoaContext = Parameters<Parameters<Provider["use"]>[0]>[0];

/** Shows the page with the list of people and handles the choice. */
async function choose(provider: Provider, ctx: KoaContext, people: Map<string, Person>): Promise<void> {
  if (ctx.method === "POST") {
    const sub = new URLSearchParams(await text(ctx.req)).get("sub");
    const result = sub ? { login: { accountId: sub } } : { error: "access_denied" };
    return await provider.interactionFinished(ctx.req, ctx.res, result);
  }
  const buttons = [...people.values()].map(({ sub, name, email }) =>
    `<p><button name="sub" value="${sub}">${name} (${email})</button></p>`
  );
  ctx.type = "html";
  ctx.body = `<!doctype html><html lang="en"><title>Who are you?</title><h1>Who are you?</h1>
<form method="post">${buttons.join("")}<p><button name="sub" value="">No one: cancel</button></p></form></html>`;
}
