import { submitLanguage } from "../lib/web/pages/language_choice.ts";
import { limited } from "../lib/web/middleware/rate_limit.ts";
import { define } from "../lib/web/state.ts";

/** The picker below every page. */
export const handler = define.handlers({ POST: limited("write", submitLanguage) }, { whileClosing: "open" });
