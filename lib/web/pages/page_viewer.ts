import type { Context } from "fresh";
import { h, type VNode } from "preact";
import { ProductName } from "../../ui/Page.tsx";
import type { Config } from "../../config/config.ts";
import type { User } from "../../users/user_row.ts";
import { currentSession, type WithSession } from "../authentication/current_session.ts";

/** The part of a context that knows whose name the header of its page shows. */
interface WithViewer extends WithSession {
  readonly state: WithSession["state"] & { viewer: User | null };
}

/**
 * Makes handlers find the person for the header when they return data for the page of their route. This happens after
 * the handler, so a request that is redirected looks up no session for a header. Handlers keep the limits that they declare.
 */
export function findViewerForPage<Handlers extends object>(handlers: Handlers): Handlers {
  if (typeof handlers === "function") return findViewerAfter(handlers as unknown as Handler) as unknown as Handlers;
  const all = Object.entries<Handler>(handlers as Record<string, Handler>);
  return Object.fromEntries(
    all.map(([method, handler]) => [method, Object.assign(findViewerAfter(handler), handler)]),
  ) as Handlers;
}

type Handler = (ctx: WithViewer) => unknown;

function findViewerAfter(handler: Handler): Handler {
  return async (ctx) => {
    const result = await handler(ctx);
    if (!(result instanceof Response)) await findViewer(ctx);
    return result;
  };
}

/** Renders a page that is not the page of the route, such as an error page. */
export async function renderPage<S extends WithViewer["state"]>(
  ctx: Context<S>,
  content: VNode,
  init?: ResponseInit,
): Promise<Response> {
  await findViewer(ctx);
  return await ctx.render(withProductName(content, ctx.state.services.config), init);
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
