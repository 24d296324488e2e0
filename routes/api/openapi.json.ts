import { isKnown } from "../../lib/http/json.ts";
import { define } from "../../lib/web/state.ts";
import { TOKEN_ROUTES } from "../../lib/web/authentication/token_routes.ts";
import { publishedDocument } from "../../lib/api/document.ts";

export const handler = define.handlers({
  GET(ctx) {
    const { text, etag } = publishedDocument(ctx.state.services.config, TOKEN_ROUTES);
    if (isKnown(ctx.req.headers, etag)) return new Response(null, { status: 304, headers: { ETag: etag } });
    return new Response(text, { headers: { "Content-Type": "application/json", ETag: etag } });
  },
});
