import { App, type FreshConfig, type Middleware, staticFiles } from "fresh";
import type { Services } from "../services.ts";
import { cors } from "./cors.ts";
import { errorResponses } from "./error_responses.tsx";
import { loadSession } from "./load_session.ts";
import { showNotice } from "./notice.ts";
import { sameOriginOnly } from "./same_origin.ts";
import { define, type State } from "./state.ts";

/**
 * The app on these services. The order of the middlewares is law: errors are caught outside of everything that
 * may throw, pages of errors know the session too, and files are served without anybody asking for one.
 *
 * @param outermost what stands before them; the development server has no other place for its outer handler.
 */
export function createApp(
  services: Services,
  { options, outermost = [] }: { options?: FreshConfig; outermost?: Middleware<State>[] } = {},
): App<State> {
  return new App<State>(options)
    .use(...outermost, attach(services), cors, loadSession, showNotice, errorResponses, sameOriginOnly, staticFiles())
    .fsRoutes();
}

function attach(services: Services): Middleware<State> {
  return define.middleware((ctx) => {
    ctx.state.services = services;
    return ctx.next();
  });
}
