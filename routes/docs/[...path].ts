import { HttpError } from "fresh";
import { findDocument } from "../../lib/api/documents.ts";
import { pageHandlers } from "../../lib/web/pages/page_handlers.ts";
import { textForPrograms } from "../../lib/web/program_text.ts";

/** The documents of docs/ as Markdown, for programs that write programs. */
export const handler = pageHandlers({ who: "everyone", whileClosing: "open" }, {
  GET({ req, params, state }) {
    const document = findDocument(params.path, state.services.config);
    if (document === null) throw new HttpError(404);
    return textForPrograms(req, "text/markdown; charset=utf-8", document);
  },
});
