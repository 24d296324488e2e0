import type { Context } from "fresh";
import { define, type State } from "../state.ts";

/** How long a browser may cache a preflight response. Browsers cap it at two hours. */
const PREFLIGHT_SECONDS = 7200;
const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";
const REQUEST_HEADERS = "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match";
/** Response headers that scripts may read, in addition to the safelisted ones. */
const EXPOSED_HEADERS =
  "ETag, Idempotent-Replayed, Link, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id";

/**
 * Lets only scripts from the origins in CORS_ORIGINS call the JSON API with credentials and send files to presigned
 * URLs. It is outside `errorResponses`, so that scripts can read errors too. Source: WHATWG Fetch, 3.2 (CORS protocol).
 */
export const cors = define.middleware((ctx) => {
  const { corsOrigins } = ctx.state.services.config;
  const isForScripts = corsOrigins.length > 0 && /^\/(api|auth|files)(\/|$)/.test(ctx.url.pathname);
  return isForScripts ? corsResponse(ctx, corsOrigins) : ctx.next();
});

async function corsResponse(ctx: Context<State>, corsOrigins: string[]): Promise<Response> {
  const origin = ctx.req.headers.get("origin");
  const isAllowed = origin !== null && corsOrigins.includes(origin);
  const isPreflight = ctx.req.method === "OPTIONS" && ctx.req.headers.has("access-control-request-method");

  const response = isAllowed && isPreflight ? preflightResponse() : await ctx.next();
  response.headers.append("Vary", "Origin");
  if (isAllowed) {
    response.headers.set("Access-Control-Allow-Origin", origin);
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
