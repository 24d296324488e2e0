import type { Context } from "fresh";
import type { RegisteredClient } from "../../config/registered_client.ts";
import { authenticateClient, type PresentedClient } from "../../authorization_server/tokens/client_authentication.ts";
import { invalidRequest, OAuthError } from "../../authorization_server/tokens/oauth_error.ts";
import { countUse, findRateLimit, type RateLimit, rateLimited } from "../../limits/rate_limit.ts";
import { limitedClients } from "../middleware/limited_clients.ts";
import type { State } from "../state.ts";
import type { OAuthForm } from "./oauth_form.ts";

const POLICY = "client";

/**
 * Finds the app that sends a request. Only wrong secrets count, and they never cause a right one to be refused, because
 * several apps may share an address. Checking a secret costs one hash, less than looking up the limit. Secrets are
 * random, so they cannot be guessed.
 *
 * @throws {OAuthError} invalid_request, invalid_client.
 * @throws {AppError} RATE_LIMITED.
 */
export async function requireClient(ctx: Context<State>, form: OAuthForm): Promise<RegisteredClient> {
  const presented = presentedClient(ctx.req.headers.get("authorization"), form);
  const { state } = ctx;
  state.limit = { policy: POLICY };
  const client = await authenticateClient(state.services, presented);
  state.appOrigins = client?.origins;
  if (client !== null) return client;
  state.limit.counted = await countFailure(ctx);
  throw new OAuthError("invalid_client", "unknown client or wrong secret");
}

/**
 * Counts a wrong attempt. Beyond the limit, attempts only read the count, so that a flood of them takes no lock.
 *
 * @throws {AppError} RATE_LIMITED.
 */
async function countFailure(ctx: Context<State>): Promise<RateLimit | null> {
  const { services } = ctx.state;
  const use = { policy: POLICY, clients: await limitedClients(ctx, POLICY) } as const;
  const before = await findRateLimit(services, use);
  if (before?.remaining === 0) throw rateLimited(before);
  const counted = await countUse(services, use);
  if (counted?.isExceeded) throw rateLimited(counted);
  return counted;
}

/** Returns what a request says about its sender. Source: RFC 6749, 2.3.1. */
function presentedClient(authorization: string | null, form: OAuthForm): PresentedClient {
  const [clientId, secret] = [form.get("client_id"), form.get("client_secret")];
  if (authorization === null) {
    if (clientId === undefined) throw invalidRequest("client_id is missing");
    return { clientId, secret: secret ?? null };
  }
  if (secret !== undefined) throw invalidRequest("There are two ways of client authentication");
  const presented = basicCredentials(authorization);
  if (presented === null) throw invalidRequest("The Authorization header is malformed");
  if (clientId !== undefined && clientId !== presented.clientId) {
    throw invalidRequest("client_id is not the one in the Authorization header");
  }
  return presented;
}

/**
 * Both parts are form-encoded, and together they are base64. An empty secret is none. Returns null for everything else.
 * Source: RFC 6749, 2.3.1.
 */
function basicCredentials(authorization: string): PresentedClient | null {
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization) ?? [];
  if (encoded === undefined) return null;
  try {
    const bytes = Uint8Array.fromBase64(encoded, { lastChunkHandling: "strict" });
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const colon = text.indexOf(":");
    if (colon < 1) return null;
    return { clientId: formDecode(text.slice(0, colon)), secret: formDecode(text.slice(colon + 1)) || null };
  } catch {
    return null;
  }
}

/** @throws {URIError} if it is malformed. */
function formDecode(text: string): string {
  return decodeURIComponent(text.replaceAll("+", " "));
}
