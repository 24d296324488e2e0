import { submitLanguage } from "../lib/web/pages/language_choice.ts";
import { pageHandlers } from "../lib/web/pages/page_handlers.ts";

/** The picker below every page. */
export const handler = pageHandlers({ who: "everyone", whileClosing: "open", whileWaiting: "open", limit: "write" }, {
  POST: submitLanguage,
});
