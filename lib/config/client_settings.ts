import type { UploadsSetting } from "./uploads_setting.ts";
import type { Registrations } from "./registered_client.ts";
import type { Variables } from "./environment.ts";
import { baseUrlOf } from "./origins.ts";

/** The settings that the content of CLIENTS_FILE depends on. */
export interface ClientSettings {
  baseUrl: string;
  tokenAudiences: string[];
  accessTtlSeconds: number;
  uploads: UploadsSetting["uploads"];
}

/** The clients and resources of CLIENTS_FILE, and what is wrong with it. */
export interface CheckedClients {
  registrations: Registrations;
  /** Each begins with the position in the file. With any, the registrations are incomplete. */
  problems: string[];
}

/** Checks a file of clients that has been read. */
export type CheckClients = (settings: ClientSettings) => CheckedClients;

/** Returns what the file of clients depends on. */
export function clientSettings(env: Variables): ClientSettings {
  return {
    baseUrl: baseUrlOf(env),
    tokenAudiences: env.TOKEN_AUDIENCES,
    accessTtlSeconds: env.ACCESS_TTL_SECONDS,
    uploads: env.UPLOADS,
  };
}

/**
 * Warns of clients whose codes are not bound to the browser that asked for them, and of those whose ID tokens pass for
 * access tokens of a product: both name their reader in `aud`.
 */
export function clientWarnings(
  { registrations, tokenAudiences }: { registrations: Registrations | null; tokenAudiences: string[] },
): string[] {
  const clients = [...registrations?.clients.values() ?? []];
  return [
    ...clients.filter(({ requiresPkce }) => !requiresPkce).map(({ id }) =>
      `CLIENTS_FILE: require_pkce is false for ${id}, so whoever steals a code in transit can inject it. Remove the ` +
      "line once this app sends a code_challenge"
    ),
    ...clients.filter(({ id }) => tokenAudiences.includes(id)).map(({ id }) =>
      `CLIENTS_FILE: the client_id ${id} is a name in TOKEN_AUDIENCES too, so ID tokens of this app pass for access ` +
      "tokens of the product. Give one of them another name"
    ),
  ];
}
