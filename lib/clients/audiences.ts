import type { ClientSettings } from "../config/client_settings.ts";
import type { Resource } from "../config/registered_client.ts";

/** Returns the products in TOKEN_AUDIENCES that are named by a URI, as resources. */
export function audiences({ tokenAudiences, baseUrl }: Pick<ClientSettings, "tokenAudiences" | "baseUrl">): Resource[] {
  return tokenAudiences.filter((audience) => isUri(audience) && audience !== baseUrl).map((uri) => ({
    uri,
    name: new URL(uri).host || uri,
    scopes: new Map(),
    defaultScopes: [],
    claims: [],
    groups: [],
  }));
}

/** Source: RFC 8707, 2. */
function isUri(text: string): boolean {
  return URL.canParse(text) && !text.includes("#");
}
