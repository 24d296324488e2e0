/** The clients and resources that this service knows. Source: RFC 6749, 2; RFC 8707, 2. */

/** The name of a group: it stands in settings, tokens and headers. */
export const GROUP_NAME = /^[a-z0-9][a-z0-9._-]{0,39}$/;

/** The id of a client: it stands in addresses, tokens and events. */
export const CLIENT_ID = /^[A-Za-z0-9._-]{1,100}$/;

/**
 * Whether an id names an unregistered client, by the address of its metadata document. No other id has these
 * characters.
 */
export function isDocumentId(id: string): boolean {
  return id.includes("://");
}

/** The grant type of devices that log in with a code. Source: RFC 8628, 3.4. */
export const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

/** The grant type of programs that act as themselves, without a person. Source: RFC 6749, 4.4. */
export const SERVICE_GRANT = "client_credentials";

export type GrantType = "authorization_code" | "refresh_token" | typeof SERVICE_GRANT | typeof DEVICE_GRANT;
export type IdTokenAlgorithm = "RS256" | "ES256";

/** A program that signs people in with this service. */
export interface RegisteredClient {
  id: string;
  /** What people recognize it by. For an unregistered one, the host of its document. */
  name: string;
  /** What an unregistered one calls itself; null for all others. */
  statedName: string | null;
  /** Whether an admin has made it in the browser. CLIENTS_FILE registers the others. */
  isMadeHere: boolean;
  /** Whether it has no secret, and needs none: everyone may say that they are this client. */
  isPublic: boolean;
  /** SHA-256 of each secret, in hex. */
  secretHashes: string[];
  redirectUris: string[];
  postLogoutRedirectUris: string[];
  backchannelLogoutUri: string | null;
  grantTypes: GrantType[];
  /** The most that it may ask for. */
  scopes: string[];
  /** The resources that it may get access tokens for, as URIs. */
  resources: string[];
  isFirstParty: boolean;
  /** Whether its grants end with the session. With the scope offline_access they never do. */
  grantLifetime: "session" | "offline";
  requiresPkce: boolean;
  requiresVerifiedEmail: boolean;
  /** Whether people need a second factor to use it. */
  requiresSecondFactor: boolean;
  /** Whether its ID tokens have claims about the person besides `sub`. */
  hasIdTokenClaims: boolean;
  idTokenAlgorithm: IdTokenAlgorithm;
  accessTtlSeconds: number;
  /** The groups whose members may use it. None: everyone. */
  groups: string[];
  /** The groups into which it may put people as itself. */
  managedGroups: string[];
  /** The origins whose scripts may call its routes. */
  origins: string[];
  clientUri: string | null;
  policyUri: string | null;
  tosUri: string | null;
}

export type ResourceClaim = "email" | "email_verified" | "name" | "groups";

/** An API that accepts access tokens of this service. */
export interface Resource {
  /** Its identifier, which is the audience of its access tokens. */
  uri: string;
  name: string;
  /** Its scopes by name, each with a text, or a text for each language tag. */
  scopes: ReadonlyMap<string, string | Readonly<Record<string, string>>>;
  /** What a request without `scope` gets. */
  defaultScopes: string[];
  /** What access tokens for it say about the person. */
  claims: ResourceClaim[];
  /** The groups whose members may use it. None: everyone. */
  groups: string[];
  /** Whether unregistered clients may ask for it. */
  isForAgents: boolean;
}

/** Everything that CLIENTS_FILE registers, and the clients that were made in the browser. */
export interface Registrations {
  clients: Map<string, RegisteredClient>;
  /** The entries of TOKEN_AUDIENCES that are URIs are resources too, without scopes. */
  resources: ReadonlyMap<string, Resource>;
}

/** The grant types of this version. */
export const OFFERED_GRANT_TYPES: GrantType[] = [
  "authorization_code",
  "refresh_token",
  SERVICE_GRANT,
  DEVICE_GRANT,
];
/** Those of a client that names none. */
export const DEFAULT_GRANT_TYPES: GrantType[] = ["authorization_code", "refresh_token"];

/**
 * Whether a client may act as itself. It must prove who it is: one that has lost its last secret may do nothing until
 * it has a new one.
 */
export function isService({ isPublic, secretHashes, grantTypes }: RegisteredClient): boolean {
  return !isPublic && secretHashes.length > 0 && grantTypes.includes(SERVICE_GRANT);
}

/** How the names of clients begin that act as themselves. No id of a person does. */
export const SERVICE_PREFIX = "client:";
/** The name of an app that acts as itself. */
export const SERVICE_NAME = new RegExp(`^${SERVICE_PREFIX}${CLIENT_ID.source.slice(1)}`);
export type ServiceName = `${typeof SERVICE_PREFIX}${string}`;

/** Returns how tokens and events name a client that acts as itself. */
export function serviceName(clientId: string): ServiceName {
  return `${SERVICE_PREFIX}${clientId}`;
}
