import { createPrivateKey } from "node:crypto";
import { z } from "zod";
import { DAY_SECONDS } from "../duration.ts";
import { GROUP_NAME } from "./registered_client.ts";
import { isConfidential } from "../network/loopback.ts";
import {
  DEFAULT_PROVIDER,
  microsoftIssuer,
  namesManyTenants,
  prefixOf,
  PRESETS,
  type ProviderPreset,
  type ProviderSettings,
} from "./provider_settings.ts";
import { flag, rulesOf, type Settings, webUrl, whole } from "./variable_types.ts";

/** A key of ES256. A message must not show it. */
const privateKey = z.string().transform((text, context) => {
  const key = jwkOf(text.replaceAll("\\n", "\n"));
  if (key?.crv === "P-256") return key;
  context.addIssue({ code: "custom", message: "must be a private key of the curve P-256, PKCS #8 in PEM" });
  return z.NEVER;
});

function jwkOf(pem: string): JsonWebKey | null {
  try {
    return createPrivateKey(pem).export({ format: "jwk" }) as JsonWebKey;
  } catch {
    return null;
  }
}

/** The settings of one provider, without the prefix of their names. */
export const PROVIDER_SETTINGS = {
  ISSUER: {
    rule: webUrl.optional(),
    example: "https://id.example.com",
    unset: "of the preset",
    says: "OpenID Connect issuer; https, or http on this machine in development",
  },
  AUTH_URL: {
    rule: webUrl.optional(),
    example: "https://id.example.com/authorize",
    unset: "of the preset",
    says: "instead of the issuer, for a plain OAuth 2.0 provider: where people log in",
  },
  TOKEN_URL: {
    rule: webUrl.optional(),
    example: "https://id.example.com/token",
    unset: "of the preset",
    says: "with it: where codes become tokens",
  },
  USERINFO_URL: {
    rule: webUrl.optional(),
    example: "https://id.example.com/userinfo",
    unset: "of the preset",
    says: "with it: what describes the person",
  },
  CLIENT_ID: { rule: z.string().optional(), example: "foyer", says: "the id of this service at the provider" },
  CLIENT_SECRET: {
    rule: z.string().optional(),
    example: "... (from the provider)",
    says: "its secret; none means a public client",
  },
  SCOPES: {
    rule: z.string().optional(),
    example: "openid email profile",
    unset: "of the preset, else `openid email profile`",
    says: "the scopes to request",
  },
  NAME: {
    rule: z.string().optional(),
    example: "Example",
    unset: "of the preset, else the key",
    says: 'the provider\'s name on the button "Continue with ..."',
  },
  TENANT: {
    rule: z.guid("must be the GUID of one tenant").optional(),
    example: "8eaef023-2b34-4da1-9baa-8bc8c9d6a490",
    says: "for `microsoft`: the GUID of the tenant whose people can log in",
  },
  TEAM_ID: { rule: z.string().optional(), example: "A1B2C3D4E5", says: "for `apple`: the id of your team" },
  KEY_ID: { rule: z.string().optional(), example: "F6G7H8I9J0", says: "for `apple`: the id of the key" },
  PRIVATE_KEY: {
    rule: privateKey.optional(),
    example: "-----BEGIN PRIVATE KEY-----\\nMIGT...\\n-----END PRIVATE KEY-----",
    says: "for `apple`: the key itself, PKCS #8 in PEM, with `\\n` for line breaks",
  },
  TRUST_EMAIL: {
    rule: flag.optional(),
    example: "true",
    unset: "`false`; X: `true`",
    says: "`true` if every address that the provider sends is confirmed, even if it does not say so",
  },
  GROUPS: {
    rule: z.string().transform((text, context) => {
      const pairs = text.split(/\s+/).filter(Boolean).map(groupPair);
      const wrong = pairs.find((pair) => typeof pair === "string");
      if (wrong !== undefined) context.addIssue({ code: "custom", message: wrong as string });
      return pairs as [string, string][];
    }).optional(),
    example: "6f1e:staff Wiki%20Editors:editors",
    says:
      "which values of the provider's claim put people into which group: `value:group`, separated by spaces, values " +
      "percent-encoded",
  },
  GROUPS_CLAIM: {
    rule: z.string().optional(),
    example: "groups",
    unset: "`groups`",
    says: "the claim that lists them",
  },
  GROUPS_DAYS: {
    rule: whole(1, 3650).optional(),
    example: "30",
    unset: "30",
    says: "how many days people stay in such a group without a login through the provider",
  },
} satisfies Settings;

/** Returns a value and its group, or what is wrong. */
function groupPair(text: string): [value: string, group: string] | string {
  const [, encoded = "", group = ""] = /^(.+):([^:]+)$/.exec(text) ?? [];
  const value = decoded(encoded);
  if (value === null || !GROUP_NAME.test(group)) return `${text} must be value:group, such as 6f1e:staff`;
  return [value, group];
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text) || null;
  } catch {
    return null;
  }
}

const ProviderVariables = z.object(rulesOf(PROVIDER_SETTINGS));
type ProviderVariables = z.infer<typeof ProviderVariables>;
type VariableName = keyof ProviderVariables;

/** The names of a provider's variables, without their prefix. */
export const PROVIDER_VARIABLES = Object.keys(PROVIDER_SETTINGS) as VariableName[];

const URLS = ["AUTH_URL", "TOKEN_URL", "USERINFO_URL"] as const;
const KEY = /^[a-z][a-z0-9_]{0,31}$/;
/** The first names the default provider, the second is a part of its URLs. */
const RESERVED_KEYS = [DEFAULT_PROVIDER, "callback"];

/** Where the variables of a provider are, and what is known about it. */
interface Source {
  key: string;
  prefix: string;
  preset?: ProviderPreset;
  env: Record<string, string | undefined>;
}

/** The providers, and one line for each problem with their variables. */
interface ReadProviders {
  providers: ProviderSettings[];
  problems: string[];
}

/**
 * Reads the identity providers: the default provider if it is configured, then those of IDP_PROVIDERS in their order.
 *
 * @param env the variables that are not empty.
 */
export function readProviders(env: Record<string, string | undefined>): ReadProviders {
  const keys = providerKeys(env);
  const sources: Source[] = [
    ...hasDefaultProvider(env) ? [{ key: DEFAULT_PROVIDER, prefix: prefixOf(DEFAULT_PROVIDER), env }] : [],
    ...keys.filter((key) => KEY.test(key)).map((key) => ({
      key,
      prefix: prefixOf(key),
      preset: Object.hasOwn(PRESETS, key) ? PRESETS[key] : undefined,
      env,
    })),
  ];
  const read = sources.map(readProvider);
  return {
    providers: read.flatMap(({ providers }) => providers),
    problems: [...keyProblems(keys), ...read.flatMap(({ problems }) => problems)],
  };
}

/** Whether the variables without a key name the address of a provider. */
export function hasDefaultProvider(env: Record<string, string | undefined>): boolean {
  return ["ISSUER", ...URLS].some((name) => Boolean(env[`IDP_${name}`]));
}

/** Returns the keys in IDP_PROVIDERS. */
export function providerKeys({ IDP_PROVIDERS = "" }: Record<string, string | undefined>): string[] {
  return IDP_PROVIDERS.split(/\s+/).filter(Boolean);
}

/** Returns a warning for each provider that may not verify addresses, with the setting that accepts them anyway. */
export function providerWarnings(providers: ProviderSettings[]): string[] {
  return providers.filter(({ trustEmail }) => !trustEmail).flatMap(({ key, rules, name, issuer, oddities }) => {
    const variable = `${prefixOf(key)}TRUST_EMAIL`;
    const start = `${variable} is not set: people can only log in through `;
    const example =
      `If the provider lets no one use an address that is not theirs, accept it anyway. Example: ${variable}=true`;
    if (rules === "microsoft") {
      return [`${start}${name} if its ID tokens have the optional claims email and xms_edov. ${example}`];
    }
    const isSaid = oddities !== undefined &&
      (oddities.claims === undefined || oddities.claims.email_verified !== undefined);
    if (isSaid || issuer !== undefined) return [];
    return [
      `${start}the identity provider ${name} if their profile says that their email address is verified (email_verified). ${example}`,
    ];
  });
}

function keyProblems(keys: string[]): string[] {
  return [
    ...keys.filter((key) => !KEY.test(key))
      .map((key) => `IDP_PROVIDERS: ${key} must be lower-case letters, digits and _, starting with a letter`),
    ...keys.filter((key) => RESERVED_KEYS.includes(key)).map((key) => `IDP_PROVIDERS: ${key} is reserved`),
    ...keys.filter((key, index) => keys.indexOf(key) < index).map((key) => `IDP_PROVIDERS: ${key} appears twice`),
  ];
}

function readProvider(source: Source): ReadProviders {
  const { key, prefix, preset, env } = source;
  const given: Partial<Record<VariableName, string>> = Object.fromEntries(
    PROVIDER_VARIABLES.map((name) => [name, env[prefix + name]]),
  );
  const { error } = ProviderVariables.safeParse(given);
  const invalid = error?.issues ?? [];
  // Variables that depend on each other are checked even if others are invalid, so that one message lists every
  // problem.
  const variables = ProviderVariables.parse({
    ...given,
    ...Object.fromEntries(invalid.map(({ path }) => [path[0], undefined])),
  });
  const problems = [
    ...invalid.map(({ path, message }) => `${prefix}${String(path[0])}: ${message}`),
    ...missing(source, given),
    ...secretProblems(source, given),
    ...addressProblems(source, variables),
  ];
  if (problems.length > 0) return { providers: [], problems };
  const addresses = addressesOf(variables, preset);
  const provider: ProviderSettings = {
    key,
    clientId: variables.CLIENT_ID!,
    clientSecret: variables.CLIENT_SECRET,
    ...preset?.signsSecrets && {
      secretKey: { teamId: variables.TEAM_ID!, keyId: variables.KEY_ID!, privateKey: variables.PRIVATE_KEY! },
    },
    scopes: variables.SCOPES ?? preset?.scopes ?? "openid email profile",
    name: variables.NAME ?? preset?.name ?? (key === DEFAULT_PROVIDER ? "single sign-on" : key),
    trustEmail: variables.TRUST_EMAIL ?? preset?.trustEmail ?? false,
    rules: preset?.rules ?? "standard",
    oddities: preset?.oddities,
    groups: {
      claim: variables.GROUPS_CLAIM ?? "groups",
      pairs: variables.GROUPS ?? [],
      keptSeconds: (variables.GROUPS_DAYS ?? 30) * DAY_SECONDS,
    },
    ...addresses,
  };
  return { providers: [provider], problems: scopeProblems(prefix, provider) };
}

/** Reports missing variables that the provider requires. Invalid ones are not missing. */
function missing({ prefix, preset, key }: Source, given: Partial<Record<VariableName, string>>): string[] {
  const need = (names: readonly VariableName[], why: string) =>
    names.filter((name) => given[name] === undefined).map((name) => `${prefix}${name}: required ${why}`);
  const hasUrls = URLS.some((name) => given[name] !== undefined);
  const lines = need(["CLIENT_ID"], "with an identity provider");
  if (preset !== undefined) {
    const secret = preset.signsSecrets ? ["TEAM_ID", "KEY_ID", "PRIVATE_KEY"] as const : ["CLIENT_SECRET"] as const;
    lines.push(...need(secret, `for ${preset.name}`));
  }
  if (given.ISSUER !== undefined || preset?.endpoints !== undefined || preset?.signsSecrets) return lines;
  if (hasUrls) return [...lines, ...need(URLS, `without ${prefix}ISSUER`)];
  if (key === "microsoft") return [...lines, ...need(["TENANT"], "for Microsoft, to name one tenant by its GUID")];
  return preset === undefined ? [...lines, ...need(["ISSUER"], "or the three URLs of the provider")] : lines;
}

/** A secret that someone has signed by hand would expire, and lock everyone out. */
function secretProblems({ prefix, preset }: Source, given: Partial<Record<VariableName, string>>): string[] {
  if (!preset?.signsSecrets || given.CLIENT_SECRET === undefined) return [];
  return [`${prefix}CLIENT_SECRET: must not be set: ${prefix}PRIVATE_KEY signs a new one for each login`];
}

/** The endpoints receive secrets, so they must use https. */
function addressProblems({ prefix, preset, key, env }: Source, variables: ProviderVariables): string[] {
  const isProduction = env.APP_ENV === "production";
  const lines = (["ISSUER", ...URLS] as const)
    .filter((name) => variables[name] !== undefined && !isConfidential(variables[name], { isProduction }))
    .map((name) => `${prefix}${name}: must be https, except on this machine in development`);
  if (variables.ISSUER === undefined) return lines;
  if (preset?.endpoints !== undefined) lines.push(`${prefix}ISSUER: must not be set, because ${preset.name} has none`);
  if (key === "microsoft" && namesManyTenants(variables.ISSUER)) lines.push(`${prefix}ISSUER: must name one tenant`);
  const doubled = URLS.filter((name) => env[prefix + name] !== undefined);
  return [
    ...lines,
    ...doubled.map((name) => `${prefix}${name}: must not be set with ${prefix}ISSUER, which provides it`),
  ];
}

function addressesOf(
  { ISSUER, AUTH_URL, TOKEN_URL, USERINFO_URL, TENANT }: ProviderVariables,
  preset: ProviderPreset | undefined,
): Pick<ProviderSettings, "issuer" | "endpoints"> {
  if (ISSUER !== undefined) return { issuer: ISSUER };
  if (preset?.endpoints === undefined && AUTH_URL === undefined) {
    return { issuer: preset?.issuer ?? microsoftIssuer(TENANT!) };
  }
  return {
    endpoints: {
      authUrl: AUTH_URL ?? preset!.endpoints!.authUrl,
      tokenUrl: TOKEN_URL ?? preset!.endpoints!.tokenUrl,
      userinfoUrl: USERINFO_URL ?? preset!.endpoints!.userinfoUrl,
    },
  };
}

/** Without these scopes, no one could ever log in. */
function scopeProblems(prefix: string, { scopes, issuer, rules, secretKey }: ProviderSettings): string[] {
  const names = scopes.split(" ");
  if (secretKey !== undefined) {
    return names.includes("email") ? [] : [`${prefix}SCOPES: must contain email, without which no one can log in`];
  }
  if (issuer !== undefined && !names.includes("openid")) {
    return [`${prefix}SCOPES: must contain openid when ${prefix}ISSUER is set`];
  }
  if (rules === "github" && !names.some((name) => name === "user:email" || name === "user")) {
    return [`${prefix}SCOPES: must contain user:email, because private addresses are listed nowhere else`];
  }
  return [];
}
