import { App, type FreshConfig, type Middleware, staticFiles } from "fresh";
import type { Services } from "../services.ts";
import { bodyBudget } from "./input/body_budget.ts";
import { cors } from "./cors.ts";
import { errorResponses } from "./error_responses.tsx";
import { loadSession } from "./load_session.ts";
import { showNotice } from "./pages/notice.ts";
import { methodNotAllowed } from "./other_methods.ts";
import { rateLimitHeaders } from "./rate_limit.ts";
import { sameOriginOnly } from "./same_origin.ts";
import { define, type State } from "./state.ts";

/**
 * The app on these services. The order of the middlewares is law: errors are caught outside of everything that may
 * throw, inside of what must be on them too, and nobody asks for a session before a file could be served.
 *
 * @param outermost what stands before them; the development server has no other place for its outer handler.
 */
export function createApp(
  services: Services,
  { options, outermost = [] }: { options?: FreshConfig; outermost?: Middleware<State>[] } = {},
): App<State> {
  return new App<State>(options)
    .use(
      ...outermost,
      tellLength,
      attach(services),
      cors,
      loadSession,
      rateLimitHeaders,
      showNotice,
      errorResponses,
      sameOriginOnly,
      bodyBudget(services),
      assets(),
    )
    .fsRoutes();
}

/**
 * HEAD tells the length that GET has. Fresh takes the body away, and the server would then say 0; what may be long, and
 * so is not to be read here, says its length itself. Source: RFC 9110, 8.6.
 */
const tellLength = define.middleware(async (ctx) => {
  const response = await ctx.next();
  if (ctx.req.method === "HEAD" && response.body !== null && !response.headers.has("Content-Length")) {
    response.headers.set("Content-Length", String((await response.arrayBuffer()).byteLength));
  }
  return response;
});

/** Serves static files. Replaces Fresh's plain 405 with the app's own error, which carries `Allow`. */
function assets(): Middleware<State> {
  const serveFile = staticFiles<State>();
  return async (ctx) => {
    const response = await serveFile(ctx);
    if (response.status === 405) throw methodNotAllowed(["GET", "HEAD"]);
    return response;
  };
}

function attach(services: Services): Middleware<State> {
  return define.middleware((ctx) => {
    ctx.state.services = services;
    return ctx.next();
  });
}
