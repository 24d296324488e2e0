import { withProviderName } from "../accounts/identities.ts";
import type { Config } from "../config/config.ts";
import { withAppName } from "./connected_apps.ts";

/** Returns an event with the names of its provider and its app in place of their keys. */
export function withNames<Event extends { details: Record<string, unknown> }>(
  event: Event,
  config: Pick<Config, "providers" | "registrations">,
): Event {
  return withAppName(withProviderName(event, config), config);
}
