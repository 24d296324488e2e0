import { define } from "../../../../lib/web/state.ts";
import { FIRST_SETTINGS_PAGE } from "../../../../lib/ui/account/SettingsNavigation.tsx";

export const handler = define.handlers({
  GET: (ctx) => ctx.redirect(FIRST_SETTINGS_PAGE, 303),
});
