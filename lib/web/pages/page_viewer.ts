import type { Context, LayoutConfig } from "fresh";
import { h, type VNode } from "preact";
import { ProductName } from "../../ui/Page.tsx";
import type { Config } from "../../config/config.ts";
import type { User } from "../../users/user_row.ts";
import { currentSession } from "../authentication/current_session.ts";
import type { WithSession } from "../authentication/session_lookup.ts";

/** The part of a context that knows whose name the header of its page shows. */
interface WithViewer extends WithSession {
  readonly state: WithSession["state"] & { viewer: User | null };
}

/**
 * Makes a handler find the person for the header when it returns data for the page of its route. This happens after the
 * handler, so a request that is redirected looks up no session for a header.
 */
export function findViewerAfter<Ctx extends WithViewer, Result>(
  handler: (ctx: Ctx) => Result | Promise<Result>,
): (ctx: Ctx) => Promise<Result> {
  return async (ctx) => {
    const result = await handler(ctx);
    if (!(result instanceof Response)) await findViewer(ctx);
    return result;
  };
}

/** Renders a page that is not the page of the route, such as an error page. A handler may leave out the layouts. */
export async function renderPage<S extends WithViewer["state"]>(
  ctx: Context<S>,
  content: VNode,
  init?: ResponseInit & LayoutConfig,
): Promise<Response> {
  await findViewer(ctx);
  return await ctx.render(withProductName(content, ctx.state.services.config), init, init);
}

/** Error pages need a header even while the database is down. */
async function findViewer(ctx: WithViewer): Promise<void> {
  const session = await currentSession(ctx).catch(() => null);
  ctx.state.viewer = session?.user ?? null;
}

/** Provides the name of the product to a page. */
export function withProductName(page: VNode, { brand }: Pick<Config, "brand">): VNode {
  return h(ProductName.Provider, { value: brand.name, children: page }) as VNode;
}
