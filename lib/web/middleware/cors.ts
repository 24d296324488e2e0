import type { Context } from "fresh";
import { define, type State } from "../state.ts";
import { appCorsResponse, isForApps } from "./app_origins.ts";
import { TRACING_HEADERS } from "./tracing_headers.ts";
import { isForProducts, isTrusted } from "./trusted_origins.ts";

/** How long a browser may cache a preflight response. Browsers cap it at two hours. */
const PREFLIGHT_SECONDS = 7200;
const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";
const REQUEST_HEADERS = `Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, ${TRACING_HEADERS}`;
/** Response headers that scripts may read, in addition to the safelisted ones. */
const EXPOSED_HEADERS =
  "ETag, Idempotent-Replayed, Link, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Foyer-User-Email, " +
  "X-Foyer-User-Email-Verified, X-Foyer-User-Groups, X-Foyer-User-Id, X-Foyer-User-Name, X-Foyer-User-Picture, " +
  "X-Foyer-User-Role, X-Foyer-User-Session, X-Request-Id";

/**
 * Lets only scripts from the origins in CORS_ORIGINS call the JSON API with credentials and send files to presigned
 * URLs, and scripts of products and apps send the few requests that they need. It is outside `errorResponses`, so that
 * scripts can read errors too. Source: WHATWG Fetch, 3.2 (CORS protocol).
 */
export const cors = define.middleware((ctx) => {
  const { corsOrigins, productOrigins, registrations } = ctx.state.services.config;
  const { pathname } = ctx.url;
  if (registrations !== null && isForApps(pathname)) return appCorsResponse(ctx, registrations);
  const isForScripts = corsOrigins.length > 0 && /^\/(api|auth|files)(\/|$)/.test(pathname) ||
    productOrigins.length > 0 && isForProducts(pathname);
  return isForScripts ? corsResponse(ctx) : ctx.next();
});

async function corsResponse(ctx: Context<State>): Promise<Response> {
  const { headers } = ctx.req;
  const origin = headers.get("origin");
  const preflighted = ctx.req.method === "OPTIONS" ? headers.get("access-control-request-method") : null;
  const request = { origin, method: preflighted ?? ctx.req.method, pathname: ctx.url.pathname };
  const isAllowed = isTrusted(request, ctx.state.services.config);

  const response = isAllowed && preflighted !== null ? preflightResponse() : await ctx.next();
  response.headers.append("Vary", "Origin");
  if (isAllowed) {
    response.headers.set("Access-Control-Allow-Origin", origin!);
    response.headers.set("Access-Control-Allow-Credentials", "true");
    response.headers.set("Access-Control-Expose-Headers", EXPOSED_HEADERS);
  }
  return response;
}

function preflightResponse(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      "Access-Control-Allow-Methods": METHODS,
      "Access-Control-Allow-Headers": REQUEST_HEADERS,
      "Access-Control-Max-Age": String(PREFLIGHT_SECONDS),
    },
  });
}
