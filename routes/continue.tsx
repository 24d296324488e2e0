import { externalAddress } from "../lib/web/pages/return_address.ts";
import { renderPage } from "../lib/web/pages/page_viewer.ts";
import { define } from "../lib/web/state.ts";
import { OneMomentPage } from "../lib/ui/OneMomentPage.tsx";
import { textsIn } from "../lib/texts/texts.ts";

/** Moves on to an address on another origin in RETURN_ORIGINS, after signing in. Works without scripts. */
export const handler = define.handlers({
  GET(ctx) {
    const { config } = ctx.state.services;
    const address = externalAddress(ctx.url.searchParams.get("next"), config.returnOrigins);
    if (address === null) return ctx.redirect("/dashboard", 303);
    ctx.state.notice = null; // the next page that stays shows it
    const content = <OneMomentPage href={address} texts={textsIn(ctx.state.language).frame} />;
    return renderPage(ctx, content, { headers: { Refresh: `0; url=${address}` } });
  },
});
