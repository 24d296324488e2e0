import { publishedDocument } from "../../lib/api/document.ts";
import { isKnown } from "../../lib/http/json.ts";
import { endpoints, plainEndpoint } from "../../lib/web/endpoints/endpoint.ts";

export const handler = endpoints({
  GET: plainEndpoint("GET /api/openapi.json", (ctx) => {
    const { text, etag } = publishedDocument(ctx.state.services.config);
    if (isKnown(ctx.req.headers, etag)) return new Response(null, { status: 304, headers: { ETag: etag } });
    return new Response(text, { headers: { "Content-Type": "application/json", ETag: etag } });
  }),
});
