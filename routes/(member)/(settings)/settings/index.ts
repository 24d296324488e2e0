import { pageHandlers } from "../../../../lib/web/pages/page_handlers.ts";
import { FIRST_SETTINGS_PAGE } from "../../../../lib/ui/account/SettingsNavigation.tsx";

export const handler = pageHandlers({ who: "member", whileClosing: "refused" }, {
  GET: (ctx) => ctx.redirect(FIRST_SETTINGS_PAGE, 303),
});
