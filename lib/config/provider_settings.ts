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
export interface ProviderPreset extends Partial<Pick<ProviderSettings, "issuer" | "endpoints" | "scopes">> {
  name: string;
  /** Default: the rules of OpenID Connect. */
  rules?: ProviderSettings["rules"];
}

/** The presets by key. Microsoft's issuer depends on its tenant. */
export const PRESETS: Record<string, ProviderPreset> = {
  google: { name: "Google", issuer: "https://accounts.google.com" },
  microsoft: { name: "Microsoft", rules: "microsoft" },
  gitlab: { name: "GitLab", issuer: "https://gitlab.com" },
  github: {
    name: "GitHub",
    rules: "github",
    scopes: "read:user user:email",
    endpoints: {
      authUrl: "https://github.com/login/oauth/authorize",
      tokenUrl: "https://github.com/login/oauth/access_token",
      userinfoUrl: "https://api.github.com/user",
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
