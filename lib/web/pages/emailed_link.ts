import { type Context, page } from "fresh";
import { LinkTokenSchema } from "../../schemas/account.ts";
import { define, type State } from "../state.ts";
import { submitForm, tokenForm } from "./form.ts";
import { LINK_PAGE_HEADERS } from "../middleware/no_index.ts";

/**
 * Returns the handlers of a page behind an emailed link that carries only a token. Opening the link changes nothing,
 * because email scanners do. The button of the page uses the token.
 */
export function linkHandlers(use: (ctx: Context<State>, token: string) => Promise<Response>) {
  return define.handlers({
    GET: (ctx) => page(tokenForm(ctx.url), { headers: LINK_PAGE_HEADERS }),
    POST: (ctx) => submitForm(ctx, LinkTokenSchema, ({ token }) => use(ctx, token)),
  }, { whileClosing: "open" });
}
