import { isKnown } from "../../lib/http/json.ts";
import { define } from "../../lib/http/state.ts";
import { TOKEN_ROUTES } from "../../lib/http/principal/token_routes.ts";
import { publishedDocument } from "../../lib/programs/api_document/document.ts";

export const handler = define.handlers({
  GET(ctx) {
    const { text, etag } = publishedDocument(ctx.state.services.config, TOKEN_ROUTES);
    if (isKnown(ctx.req.headers, etag)) return new Response(null, { status: 304, headers: { ETag: etag } });
    return new Response(text, { headers: { "Content-Type": "application/json", ETag: etag } });
  },
});
