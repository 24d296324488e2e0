import type { Context } from "fresh";
import { pageAfterLogin } from "../lib/web/pages/next_path.ts";
import { confirmationPage } from "../lib/web/authentication/auth_check.ts";
import { isLoop, moveOn, withLeave } from "../lib/web/pages/leaves.tsx";
import { externalAddress, invitationOrigins } from "../lib/accounts/return_address.ts";
import { renderPage } from "../lib/web/pages/page_viewer.ts";
import { pageHandlers } from "../lib/web/pages/page_handlers.ts";
import type { State } from "../lib/web/state.ts";
import { LoopPage } from "../lib/ui/LoopPage.tsx";
import { textsIn } from "../lib/texts/texts.ts";

/**
 * Moves on to an address of a product or an app, after signing in or accepting an invitation. Works without scripts.
 */
export const handler = pageHandlers({ who: "everyone", whileClosing: "refused" }, {
  async GET(ctx) {
    const { config } = ctx.state.services;
    const address = externalAddress(ctx.url.searchParams.get("next"), invitationOrigins(config));
    if (address === null) return ctx.redirect(pageAfterLogin(ctx.state), 303);
    const isProduct = externalAddress(address, config.returnOrigins) !== null;
    const confirmation = isProduct ? await confirmationPage(ctx, address) : null;
    if (confirmation !== null) return ctx.redirect(confirmation, 303);
    if (isLoop(ctx, address)) return await stop(ctx, address);
    return withLeave(ctx, await moveOn(ctx, address), address);
  },
});

/** Ends a loop between a product and this page. The person may try again. */
async function stop(ctx: Context<State>, address: string): Promise<Response> {
  const { host, origin } = new URL(address);
  ctx.state.notice = null; // the next page that stays shows it
  ctx.state.services.log("warn", "A product sends people back who come from the login", {
    origin,
    hint: "Does its proxy pass the cookie auth_session to /auth/check? Is the product inside COOKIE_DOMAIN?",
  });
  return await renderPage(ctx, <LoopPage href={address} host={host} texts={textsIn(ctx.state.language).frame} />);
}
