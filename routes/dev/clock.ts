import { pageHandlers } from "../../lib/web/pages/page_handlers.ts";
import { forwardTestClock } from "../../lib/web/pages/test_clock.ts";

/** For the tests of a product, with APP_ENV=test. */
export const handler = pageHandlers({ who: "everyone", whileClosing: "open", limit: { none: "only for tests" } }, {
  POST: forwardTestClock,
});
