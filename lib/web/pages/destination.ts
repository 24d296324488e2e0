import { CONTINUE_PAGE } from "../../accounts/return_address.ts";
import { describeApp } from "../../authorization_server/connected_apps.ts";
import { AUTHORIZE_PATH } from "../oauth/next_page.ts";
import { findClient } from "../../clients/registrations.ts";
import { documentUrl } from "../../clients/document_url.ts";
import { isDocumentId } from "../../config/registered_client.ts";
import type { Config } from "../../config/config.ts";
import type { Services } from "../../services/services.ts";

/**
 * Returns what people continue to after logging in, as they know it: the name of an app, or the host of a product. Null
 * for pages of this site.
 *
 * @param next as `nextPath` returns it.
 */
export function destinationOf(next: string | null, config: Config): string | null {
  if (next === null) return null;
  const { pathname, searchParams } = new URL(next, config.baseUrl);
  if (pathname === CONTINUE_PAGE) return URL.parse(searchParams.get("next") ?? "")?.host ?? null;
  if (pathname !== AUTHORIZE_PATH) return null;
  const clientId = searchParams.get("client_id") ?? "";
  // The address comes from the browser, so of an unregistered app only the host is shown.
  const isKnown = isDocumentId(clientId)
    ? documentUrl(clientId, config) !== null
    : config.registrations?.clients.has(clientId);
  return isKnown ? describeApp(config, clientId).name : null;
}

/** Whether people continue to an unregistered app. */
export function isForUnregistered(next: string | null, config: Pick<Config, "baseUrl">): boolean {
  if (next === null) return false;
  const { pathname, searchParams } = new URL(next, config.baseUrl);
  return pathname === AUTHORIZE_PATH && isDocumentId(searchParams.get("client_id") ?? "");
}

/**
 * Whether people continue to an app for which they need a second factor. Reads the client as it is now: the page that
 * asks must not lead back to the app which leads here.
 */
export async function requiresSecondFactor(
  services: Pick<Services, "config" | "db" | "now">,
  next: string | null,
): Promise<boolean> {
  if (next === null) return false;
  const { pathname, searchParams } = new URL(next, services.config.baseUrl);
  if (pathname !== AUTHORIZE_PATH) return false;
  return (await findClient(services, searchParams.get("client_id") ?? ""))?.requiresSecondFactor ?? false;
}
