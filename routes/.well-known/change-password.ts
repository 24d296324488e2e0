import { pageHandlers } from "../../lib/web/pages/page_handlers.ts";

/** The page on which people change their password. */
const PAGE = "/settings/password";

/** Password managers open this URL. Source: A Well-Known URL for Changing Passwords, W3C. */
export const handler = pageHandlers({ who: "everyone", whileClosing: "refused" }, {
  GET: (ctx) => ctx.redirect(PAGE, 302),
});
