import { providerName } from "../accounts/identities.ts";
import { describeApp } from "../authorization_server/connected_apps.ts";
import type { Config } from "../config/config.ts";
import { ADMIN_SOURCE } from "../groups/membership.ts";
import type { Texts } from "../texts/texts.ts";

/** What has names for sources. */
export type SourceSettings = Pick<Config, "providers" | "registrations">;

/** Returns who says that someone is in a group, as people call them. */
export function sourceNames(
  sources: string[],
  config: SourceSettings,
  { sources: texts }: Texts["adminGroups"],
): string[] {
  return sources.map((source) => {
    if (source === ADMIN_SOURCE) return texts.admin;
    const [kind, key] = source.split(/:(.*)/s);
    return kind === "provider" ? providerName(config, key) : describeApp(config, key).name;
  });
}
