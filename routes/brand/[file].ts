import { HttpError } from "fresh";
import { pageHandlers } from "../../lib/web/pages/page_handlers.ts";

/** An SVG that someone opens by its address runs nothing and loads nothing. */
const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; sandbox";

/** The files of the operator's brand. Their addresses change with their content; emails keep addresses for longer. */
export const handler = pageHandlers({ who: "everyone", whileClosing: "open" }, {
  GET({ params, url, state }) {
    const file = state.services.config.brand.files.get(params.file);
    if (file === undefined) throw new HttpError(404);
    const isCurrent = url.searchParams.get("v") === file.version;
    return new Response(file.content, {
      headers: {
        "Content-Type": file.contentType,
        "Content-Length": String(file.content.length),
        "Content-Security-Policy": POLICY,
        "Cache-Control": isCurrent ? "public, max-age=31536000, immutable" : "public, max-age=3600",
      },
    });
  },
});
