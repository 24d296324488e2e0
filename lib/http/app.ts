import { App, type FreshConfig, HttpError, type Middleware, staticFiles } from "fresh";
import type { Services } from "../services.ts";
import { bodyBudget } from "./body_budget.ts";
import { cors } from "./cors.ts";
import { errorResponses } from "./error_responses.tsx";
import { loadSession } from "./load_session.ts";
import { showNotice } from "./notice.ts";
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

/** Static files; a method that they do not have is an error like any other. */
function assets(): Middleware<State> {
  const serveFile = staticFiles<State>();
  return async (ctx) => {
    const response = await serveFile(ctx);
    if (response.status === 405) throw new HttpError(405);
    return response;
  };
}

function attach(services: Services): Middleware<State> {
  return define.middleware((ctx) => {
    ctx.state.services = services;
    return ctx.next();
  });
}
