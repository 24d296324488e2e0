import { overviewForPrograms } from "../lib/api/documents.ts";
import { pageHandlers } from "../lib/web/pages/page_handlers.ts";
import { textForPrograms } from "../lib/web/program_text.ts";

/** What programs that write programs read first. Source: llmstxt.org. */
export const handler = pageHandlers({ who: "everyone", whileClosing: "open" }, {
  GET: ({ req, state }) =>
    textForPrograms(req, "text/plain; charset=utf-8", overviewForPrograms(state.services.config)),
});
