import type { Entry } from "../../api/entry.ts";
import { discoveryDocument } from "../../authorization_server/discovery.ts";
import { ok } from "../../http/json.ts";
import type { Services } from "../../services/services.ts";
import { type EndpointHandler, plainEndpoint } from "./endpoint.ts";

/** The document changes only with a start. */
const CACHED_SECONDS = 300;

/** Returns the handler of both addresses of the discovery document. */
export function discoveryHandler(entry: Entry): EndpointHandler {
  return documentHandler(entry, ({ config, languages }) => discoveryDocument(config, languages));
}

/** Returns the handler of a document that programs of every origin may read. */
export function documentHandler(entry: Entry, documentOf: (services: Services) => object): EndpointHandler {
  return plainEndpoint(
    entry,
    ({ state: { services } }) =>
      ok(documentOf(services), {
        "Cache-Control": `public, max-age=${CACHED_SECONDS}`,
        "Access-Control-Allow-Origin": "*",
      }),
  );
}
