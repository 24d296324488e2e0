import { findClient } from "../../clients/registrations.ts";
import type { Services } from "../../services/services.ts";
import type { RegisteredClient } from "../../config/registered_client.ts";
import { type IdTokenHint, readIdTokenHint } from "../authorize/id_token_hint.ts";

/** A request of an app to log a person out. */
export interface LogoutRequest {
  /** The person and the session that the app means; null without a valid ID token. */
  hint: IdTokenHint | null;
  /** Where the person goes afterward; null if no app has registered that address. */
  wayBack: { client: RegisteredClient; address: string } | null;
}

/**
 * Reads a request to log out. A wrong hint, or one that contradicts `client_id`, leads nowhere. Source: OpenID Connect
 * RP-Initiated Logout, 2 and 3.
 */
export async function readLogoutRequest(services: Services, query: URLSearchParams): Promise<LogoutRequest> {
  const [token, clientId] = [valueOf(query, "id_token_hint"), valueOf(query, "client_id")];
  if (token === null || clientId === null) return { hint: null, wayBack: null };
  const hint = token === undefined ? null : await readIdTokenHint(services, token);
  const client = await findClient(services, hint?.clientId ?? clientId ?? "");
  const isRight = token === undefined || (hint !== null && (clientId ?? hint.clientId) === hint.clientId);
  if (client === null || !isRight) return { hint: null, wayBack: null };
  return { hint, wayBack: wayBackTo(client, query) };
}

/** The address is compared as a text, without any decoding. It gets `state` and nothing else. */
function wayBackTo(client: RegisteredClient, query: URLSearchParams): LogoutRequest["wayBack"] {
  const address = valueOf(query, "post_logout_redirect_uri");
  if (!address || !client.postLogoutRedirectUris.includes(address)) return null;
  const state = valueOf(query, "state");
  if (!state) return { client, address };
  const mark = address.includes("?") ? /[?&]$/.test(address) ? "" : "&" : "?";
  return { client, address: `${address}${mark}state=${encodeURIComponent(state)}` };
}

/** Returns undefined for a parameter that is missing or empty, and null for one that is repeated. */
function valueOf(query: URLSearchParams, name: string): string | null | undefined {
  const values = query.getAll(name);
  if (values.length > 1) return null;
  return values[0] || undefined;
}
