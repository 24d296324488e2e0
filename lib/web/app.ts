import { App, type FreshConfig, type Middleware, staticFiles } from "fresh";
import type { Config } from "../config/config.ts";
import type { Services } from "../services/services.ts";
import { sessionForUnknownAdminPages } from "./middleware/admins_only.ts";
import { bodyShares } from "./middleware/body_shares.ts";
import { refuseUnknownPaths } from "./middleware/closing_account.ts";
import { requestedLanguage } from "./language.ts";
import { cors } from "./middleware/cors.ts";
import { errorResponses } from "./error_responses.tsx";
import { noteRoute } from "./answered_route.ts";
import { bearer } from "./authentication/bearer.ts";
import { loadSession } from "./authentication/load_session.ts";
import { showNotice } from "./pages/notice.ts";
import { replaceMalformedIds } from "./middleware/malformed_ids.ts";
import { methodNotAllowed } from "./middleware/other_methods.ts";
import { rateLimitHeaders } from "./middleware/rate_limit_headers.ts";
import { sameOriginOnly } from "./middleware/same_origin.ts";
import { define, type State } from "./state.ts";

/**
 * Creates the app. The order of the middleware matters: `errorResponses` is outside everything that may throw, and
 * inside everything that sets headers on errors too.
 *
 * @param outermost middleware to run before all other. The development server has no other place for its outer handler.
 */
export function createApp(
  services: Services,
  { options, outermost = [] }: { options?: FreshConfig; outermost?: Middleware<State>[] } = {},
): App<State> {
  return new App<State>(options)
    .use(
      ...outermost,
      setContentLengthOnHead,
      attach(services),
      cors,
      loadSession,
      rateLimitHeaders,
      showNotice,
      errorResponses,
      bearer,
      sameOriginOnly,
      bodyShares(services),
      assets(services.config),
      refuseUnknownPaths,
      sessionForUnknownAdminPages,
      replaceMalformedIds,
    )
    .fsRoutes();
}

/**
 * Gives HEAD the Content-Length of GET. Fresh removes the body, and the server would then send a length of 0. Reads the
 * body, so a long response must set its own length. Source: RFC 9110, 8.6.
 */
const setContentLengthOnHead = define.middleware((ctx) =>
  ctx.req.method === "HEAD" ? ctx.next().then(withContentLength) : ctx.next()
);

async function withContentLength(response: Response): Promise<Response> {
  if (response.body !== null && !response.headers.has("Content-Length")) {
    response.headers.set("Content-Length", String((await response.arrayBuffer()).byteLength));
  }
  return response;
}

/** Browsers ask for some of them without a link. Another brand has its own. */
const OUR_ICONS = ["/favicon.ico", "/mark.svg", "/apple-touch-icon.png", "/icon-192.png", "/icon-512.png"];

/** Serves static files. Replaces Fresh's plain 405 with the app's error, which has `Allow`. */
function assets({ brand: { icons } }: Config): Middleware<State> {
  const serveFile = staticFiles<State>();
  return async (ctx) => {
    if (icons !== null && OUR_ICONS.includes(ctx.url.pathname)) return ctx.redirect(icons[0].src, 307);
    const response = await serveFile(ctx);
    if (response.status === 405) throw methodNotAllowed(["GET", "HEAD"]);
    return response;
  };
}

/** Keeps caches from showing a page in the language of someone else. */
function varyByLanguage(response: Response): Response {
  if (response.headers.get("Content-Type")?.startsWith("text/html")) {
    response.headers.append("Vary", "Accept-Language, Cookie");
  }
  return response;
}

/** Gives the request the dependencies of the app, and its language. Notes its route. */
function attach(services: Services): Middleware<State> {
  return define.middleware((ctx) => {
    noteRoute(ctx);
    const requestLanguage = requestedLanguage(ctx.req, services);
    ctx.state.services = requestLanguage === services.requestLanguage ? services : { ...services, requestLanguage };
    ctx.state.language = requestLanguage ?? services.languages.default;
    return services.languages.byTag.size === 1 ? ctx.next() : ctx.next().then(varyByLanguage);
  });
}
