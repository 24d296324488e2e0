import type { Context, LayoutConfig } from "fresh";
import { h, type VNode } from "preact";
import type { Services } from "../../services/services.ts";
import { type Language, type NoticeCode, textsIn } from "../../texts/texts.ts";
import { Notice } from "../../ui/Notice.tsx";
import { Frame } from "../../ui/Page.tsx";
import type { User } from "../../users/user_row.ts";
import { anySession } from "../authentication/current_session.ts";
import type { WithSession } from "../authentication/session_lookup.ts";
import { hasMailFolder } from "./has_mail_folder.ts";
import { shownRequestId } from "./shown_request_id.ts";

/** The part of a context that knows whose name the header of its page shows. */
interface WithViewer extends WithSession {
  readonly state: WithSession["state"] & { viewer: User | null };
}

/** What the frame of a page shows. */
interface FramedState {
  services: Services;
  language: Language;
  notice: NoticeCode | null;
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
export async function renderPage<S extends WithViewer["state"] & FramedState>(
  ctx: Context<S>,
  content: VNode,
  init?: ResponseInit & LayoutConfig,
): Promise<Response> {
  await findViewer(ctx);
  return await ctx.render(withFrame(content, ctx), init, init);
}

/** Error pages need a header even while the database is down. */
async function findViewer(ctx: WithViewer): Promise<void> {
  const session = await anySession(ctx).catch(() => null);
  ctx.state.viewer = session?.user ?? null;
}

/** Provides a page with the brand, its notice and the id of its request. */
export function withFrame(
  page: VNode,
  { state: { services, language, notice: code }, info }: { state: FramedState; info: Deno.ServeHandlerInfo },
): VNode {
  const { config: { brand } } = services;
  const notice = code ? h(Notice, { code, hasOutbox: hasMailFolder(services), texts: textsIn(language) }) : null;
  const id = shownRequestId(info);
  const requestId = id && h("p", { class: "meta" }, textsIn(language).frame.requestId, " ", h("code", null, id));
  return h(Frame.Provider, { value: { brand, notice, requestId }, children: page }) as VNode;
}
