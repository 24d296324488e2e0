import { collectEntries } from "../../../lib/api/collect.ts";
import { type ApiDescription, writeDescription } from "../../../lib/api/description.ts";
import type { DescribedOperation } from "../../../lib/api/operation_object.ts";
import type { MediaType } from "../../../lib/api/response.ts";
import type { Entry } from "../../../lib/api/entry.ts";

/** The entry of every endpoint, by method and path. */
export const ENTRIES: Record<string, Entry> = await collectEntries(new URL("../../../routes/", import.meta.url));

/** The method and path of every endpoint that the API document describes. */
export const DOCUMENTED = Object.keys(ENTRIES).filter((key) => !ENTRIES[key].isUndocumented);

/** What the build writes. */
const description = writeDescription(ENTRIES);
const { paths }: ApiDescription = JSON.parse(description);

/** Returns what the build writes, for {@linkcode Services.describedApi}. */
export function describedApi(): Promise<string> {
  return Promise.resolve(description);
}

/** Returns the example of the body of a request; undefined if it has none. @param key its method and path. */
export function exampleBody(key: string): unknown {
  return exampleIn(operationOf(key)?.requestBody?.content);
}

/** Returns the example of the response with this status; undefined if it has none. */
export function exampleResponse(key: string, status: string): unknown {
  return exampleIn(operationOf(key)?.responses[status].content);
}

/** Undefined for a page. */
function operationOf(key: string): DescribedOperation | undefined {
  const [method, path] = key.split(" ");
  return paths[path]?.[method.toLowerCase()];
}

function exampleIn(content: Record<string, MediaType> = {}): unknown {
  return Object.values(content)[0]?.example;
}
