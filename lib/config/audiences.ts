import type { ClientSettings } from "./client_settings.ts";
import type { Registrations, Resource } from "./registered_client.ts";

/** Returns the products in TOKEN_AUDIENCES that are named by a URI, as resources. */
export function audiences({ tokenAudiences, baseUrl }: Pick<ClientSettings, "tokenAudiences" | "baseUrl">): Resource[] {
  return tokenAudiences.filter((audience) => isUri(audience) && audience !== baseUrl).map((uri) => ({
    uri,
    name: new URL(uri).host || uri,
    scopes: new Map(),
    defaultScopes: [],
    claims: [],
    groups: [],
    isForAgents: false,
  }));
}

/** Returns what there is to know before the first client. */
export function withoutClients(settings: Pick<ClientSettings, "tokenAudiences" | "baseUrl">): Registrations {
  return { clients: new Map(), resources: new Map(audiences(settings).map((resource) => [resource.uri, resource])) };
}

/** Source: RFC 8707, 2. */
function isUri(text: string): boolean {
  return URL.canParse(text) && !text.includes("#");
}
