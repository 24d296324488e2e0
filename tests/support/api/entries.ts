import { collectEntries } from "../../../lib/api/collect.ts";
import { describeApi } from "../../../lib/api/description.ts";
import type { Entry } from "../../../lib/api/entry.ts";

/** The entry of every endpoint, by method and path. */
export const ENTRIES: Record<string, Entry> = await collectEntries(new URL("../../../routes/", import.meta.url));

/** The method and path of every endpoint that the API document describes. */
export const DOCUMENTED = Object.keys(ENTRIES).filter((key) => !ENTRIES[key].isUndocumented);

let described: string | undefined;

/** Returns what the build writes, for {@linkcode Services.describedApi}. */
export function describedApi(): Promise<string> {
  return Promise.resolve(described ??= JSON.stringify(describeApi(ENTRIES)));
}
