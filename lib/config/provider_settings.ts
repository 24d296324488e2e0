/** The key of the provider that the variables without a key configure. */
export const DEFAULT_PROVIDER = "default";

/** An identity provider: the issuer for OpenID Connect, or the endpoints for plain OAuth 2.0. */
export interface ProviderSettings {
  /** Names the provider in URLs, in the API and in the names of its variables. */
  key: string;
  clientId: string;
  /** Undefined for a public client. */
  clientSecret?: string;
  scopes: string;
  /** For people, as in "Continue with ...". */
  name: string;
  /** Whether to trust addresses if the provider does not say whether they are verified. */
  trustEmail: boolean;
  /** How the provider describes people. */
  rules: "standard" | "github" | "microsoft";
  issuer?: string;
  /** What the provider may say about groups. */
  groups: {
    claim: string;
    /** Pairs of a value and the name of a group. */
    pairs: [value: string, group: string][];
    /** How long a membership lasts that the provider does not repeat. */
    keptSeconds: number;
  };
  /** Set if `issuer` is not. */
  endpoints?: { authUrl: string; tokenUrl: string; userinfoUrl: string };
  /** What signs the client secrets, for a provider that takes only signed ones. */
  secretKey?: {
    teamId: string;
    keyId: string;
    privateKey: JsonWebKey;
  };
  /** Where it differs from what the standards say. */
  oddities?: ProviderOddities;
}

/** Where a provider differs from what the standards say. */
export interface ProviderOddities {
  /**
   * Of a plain OAuth 2.0 provider: the fields of userinfo that stand for the claims of OpenID Connect; the first that
   * has a value counts. A dot leads into an object, and braces put fields into a text. Claims that are not listed are
   * not read. Default: as they are.
   */
  claims?: Partial<Record<"sub" | "email" | "email_verified" | "name" | "picture", string[]>>;
  /** Whether the token endpoint takes the secret in the body only. */
  hasSecretInBody?: boolean;
  /** Whether the token endpoint refuses PKCE. Then the state and the redirect URI of its own protect the code. */
  lacksPkce?: boolean;
  /** Whether it sends the browser back with a form instead of a redirect. */
  postsAnswer?: boolean;
}

/** The path at which a sign-in with the provider starts. */
export function signInPath(key: string): string {
  return key === DEFAULT_PROVIDER ? "/auth/idp" : `/auth/idp/${key}`;
}

/**
 * The redirect URI of a provider. Each has its own, so that the code of one cannot be sent to another (RFC 9700, 4.4).
 */
export function redirectUriOf(baseUrl: string, key: string): string {
  return `${baseUrl}${signInPath(key)}/callback`;
}

/** The beginning of the names of a provider's variables. */
export function prefixOf(key: string): string {
  return key === DEFAULT_PROVIDER ? "IDP_" : `IDP_${key.toUpperCase()}_`;
}

/** What is known about a provider by its key. Variables override the addresses, the name and the scopes. */
export interface ProviderPreset
  extends Partial<Pick<ProviderSettings, "issuer" | "endpoints" | "scopes" | "oddities">> {
  name: string;
  /** Default: the rules of OpenID Connect. */
  rules?: ProviderSettings["rules"];
  /** Whether it takes only signed secrets, in place of one that is configured. */
  signsSecrets?: boolean;
  /** Whether every address that it sends is confirmed. Default: false. */
  trustEmail?: boolean;
}

/** The presets by key. Microsoft's issuer depends on its tenant. */
export const PRESETS: Record<string, ProviderPreset> = {
  google: { name: "Google", issuer: "https://accounts.google.com" },
  microsoft: { name: "Microsoft", rules: "microsoft" },
  gitlab: { name: "GitLab", issuer: "https://gitlab.com" },
  // Source: developer.apple.com, "Sign in with Apple REST API". It knows no scope `openid`, and posts the answer if it
  // is asked for the name or the address.
  apple: {
    name: "Apple",
    issuer: "https://appleid.apple.com",
    scopes: "name email",
    signsSecrets: true,
    oddities: { postsAnswer: true },
  },
  slack: { name: "Slack", issuer: "https://slack.com" },
  github: {
    name: "GitHub",
    rules: "github",
    scopes: "read:user user:email",
    endpoints: {
      authUrl: "https://github.com/login/oauth/authorize",
      tokenUrl: "https://github.com/login/oauth/access_token",
      userinfoUrl: "https://api.github.com/user",
    },
    oddities: { hasSecretInBody: true },
  },
  // Source: docs.discord.com, "OAuth2" and "User Resource".
  discord: {
    name: "Discord",
    scopes: "identify email",
    endpoints: {
      authUrl: "https://discord.com/oauth2/authorize",
      tokenUrl: "https://discord.com/api/oauth2/token",
      userinfoUrl: "https://discord.com/api/users/@me",
    },
    oddities: {
      claims: {
        sub: ["id"],
        email: ["email"],
        email_verified: ["verified"],
        name: ["global_name", "username"],
        picture: ["https://cdn.discordapp.com/avatars/{id}/{avatar}.png"],
      },
      hasSecretInBody: true,
    },
  },
  // Source: developers.facebook.com, "Manually Build a Login Flow". Nothing says whether an address is confirmed.
  facebook: {
    name: "Facebook",
    scopes: "public_profile email",
    endpoints: {
      authUrl: "https://www.facebook.com/dialog/oauth",
      tokenUrl: "https://graph.facebook.com/oauth/access_token",
      userinfoUrl: "https://graph.facebook.com/me?fields=id,name,email,picture.width(512)",
    },
    oddities: {
      claims: { sub: ["id"], email: ["email"], name: ["name"], picture: ["picture.data.url"] },
      hasSecretInBody: true,
    },
  },
  // Source: learn.microsoft.com, "Sign In with LinkedIn using OpenID Connect". Its ID tokens have no nonce.
  linkedin: {
    name: "LinkedIn",
    endpoints: {
      authUrl: "https://www.linkedin.com/oauth/v2/authorization",
      tokenUrl: "https://www.linkedin.com/oauth/v2/accessToken",
      userinfoUrl: "https://api.linkedin.com/v2/userinfo",
    },
    oddities: { hasSecretInBody: true, lacksPkce: true },
  },
  // Source: docs.x.com, "OAuth 2.0 Authorization Code Flow with PKCE" and "Get my User".
  x: {
    name: "X",
    scopes: "users.read tweet.read users.email",
    trustEmail: true,
    endpoints: {
      authUrl: "https://x.com/i/oauth2/authorize",
      tokenUrl: "https://api.x.com/2/oauth2/token",
      userinfoUrl: "https://api.x.com/2/users/me?user.fields=confirmed_email,profile_image_url",
    },
    oddities: {
      claims: {
        sub: ["data.id"],
        email: ["data.confirmed_email"],
        name: ["data.name"],
        picture: ["data.profile_image_url"],
      },
    },
  },
};

/** The issuer of one Microsoft tenant. */
export function microsoftIssuer(tenant: string): string {
  return `https://login.microsoftonline.com/${tenant.toLowerCase()}/v2.0`;
}

/** Microsoft's addresses for the people of any tenant. Their ID tokens have different issuers. */
export function namesManyTenants(issuer: string): boolean {
  return URL.parse(issuer)?.pathname.split("/").some((part) => /^(common|organizations|consumers)$/i.test(part)) ??
    false;
}
