import { publishedDocument } from "../../lib/api/document.ts";
import { isKnown } from "../../lib/http/json.ts";
import { endpoints, plainEndpoint } from "../../lib/web/endpoints/endpoint.ts";
import { OpenApiView } from "../../lib/schemas/service.ts";

export const handler = endpoints({
  GET: plainEndpoint({
    operationId: "getApiDocument",
    summary: "Return this document",
    caller: "public",
    whileClosing: "open",
    headers: ["If-None-Match"],
    returns: { 200: OpenApiView, 304: null },
    sends: ["ETag"],
  }, async (ctx) => {
    const { text, etag } = await publishedDocument(ctx.state.services);
    if (isKnown(ctx.req.headers, etag)) return new Response(null, { status: 304, headers: { ETag: etag } });
    return new Response(text, { headers: { "Content-Type": "application/json", ETag: etag } });
  }),
});
