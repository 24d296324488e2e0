import { define } from "./state.ts";

/** How long a browser may remember the answer to a preflight; browsers cap it at two hours. */
const PREFLIGHT_SECONDS = 7200;
const METHODS = "GET, HEAD, POST, PUT";
/** What a script may read of a response, beside the headers that it always may. */
const EXPOSED_HEADERS = "RateLimit, RateLimit-Policy, Retry-After, X-Request-Id";

/**
 * Lets scripts of the origins in CORS_ORIGINS call the JSON API with credentials and send files to presigned URLs, and
 * no others. It stands outside of the errors, so that these can be read too. Source: WHATWG Fetch, 3.2 (CORS protocol).
 */
export const cors = define.middleware(async (ctx) => {
  const { corsOrigins } = ctx.state.services.config;
  if (corsOrigins.length === 0 || !/^\/(api|auth|files)(\/|$)/.test(ctx.url.pathname)) return ctx.next();
  const origin = ctx.req.headers.get("origin");
  const isAllowed = origin !== null && corsOrigins.includes(origin);
  const isPreflight = ctx.req.method === "OPTIONS" && ctx.req.headers.has("access-control-request-method");

  const response = isAllowed && isPreflight ? preflightAnswer() : await ctx.next();
  response.headers.append("Vary", "Origin");
  if (isAllowed) {
    response.headers.set("Access-Control-Allow-Origin", origin);
    response.headers.set("Access-Control-Allow-Credentials", "true");
    response.headers.set("Access-Control-Expose-Headers", EXPOSED_HEADERS);
  }
  return response;
});

function preflightAnswer(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      "Access-Control-Allow-Methods": METHODS,
      "Access-Control-Allow-Headers": "Content-Type",
      "Access-Control-Max-Age": String(PREFLIGHT_SECONDS),
    },
  });
}
