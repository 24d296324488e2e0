import { type Context, page, type PageResponse } from "fresh";
import type { Services } from "../../services/services.ts";
import { LinkTokenSchema } from "../../sign_in/schema.ts";
import type { State } from "../state.ts";
import { type FormState, submitForm, tokenForm } from "./form.ts";
import { withData } from "./page_data.ts";
import { pageHandlers } from "./page_handlers.ts";
import { LINK_PAGE_HEADERS } from "../middleware/no_index.ts";

interface EmailedLink<Found> {
  /** Finds what the link is about. Returns null if it does not work. */
  find(services: Services, token: string, ctx: Context<State>): Promise<Found | null>;
  /** Does what the link is for. */
  use(ctx: Context<State>, token: string): Promise<Response>;
}

/**
 * Returns the handlers of a page behind an emailed link that carries only a token. Opening the link changes nothing,
 * because email scanners do. The button of the page uses the token.
 */
export function linkHandlers<Found>({ find, use }: EmailedLink<Found>) {
  const withFound = (ctx: Context<State>, result: Response | PageResponse<FormState>) =>
    withData(
      result,
      async ({ values: { token = "" } }) => ({ token, found: await find(ctx.state.services, token, ctx) }),
    );
  return pageHandlers({ who: "everyone", whileClosing: "open", limit: "guess" }, {
    GET: (ctx) => withFound(ctx, page(tokenForm(ctx.url), { headers: LINK_PAGE_HEADERS })),
    async POST(ctx) {
      return withFound(ctx, await submitForm(ctx, LinkTokenSchema, ({ token }) => use(ctx, token)));
    },
  });
}
