import type { Context } from "fresh";
import type { Registrations } from "../../config/registered_client.ts";
import { originOf } from "../../config/variable_types.ts";
import type { State } from "../state.ts";
import { TRACING_HEADERS } from "./tracing_headers.ts";

/** How long a browser may cache a preflight response. */
const PREFLIGHT_SECONDS = 7200;
/** What scripts of apps may call, and the methods. Pages and everything else under /oauth allow no other origin. */
const FOR_APPS: Record<string, string> = {
  "/oauth/token": "POST",
  "/oauth/revoke": "POST",
  "/oauth/userinfo": "GET, HEAD, POST",
};
const REQUEST_HEADERS = `Authorization, Content-Type, ${TRACING_HEADERS}`;
/** Response headers that scripts may read, in addition to the safelisted ones. */
const EXPOSED_HEADERS = "RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id";

/** Whether scripts of apps may call this path. */
export function isForApps(pathname: string): boolean {
  return Object.hasOwn(FOR_APPS, pathname);
}

/**
 * Lets scripts of the origins of an app read its responses, without credentials. While the app is unknown, as in a
 * preflight and in most errors, the origins of all apps count: every one, if apps need no registration. Source: WHATWG
 * Fetch, 3.2 (CORS protocol).
 */
export async function appCorsResponse(ctx: Context<State>, { clients }: Registrations): Promise<Response> {
  const origin = ctx.req.headers.get("origin");
  const mayBeUnregistered = ctx.state.services.config.clientDocuments !== null;
  const ofAny = origin !== null && (
    mayBeUnregistered && originOf(origin) === origin ||
    [...clients.values()].some(({ origins }) => origins.includes(origin))
  );
  const isPreflight = ctx.req.method === "OPTIONS" && ctx.req.headers.has("access-control-request-method");
  const response = ofAny && isPreflight ? preflightResponse(ctx.url.pathname) : await ctx.next();
  response.headers.append("Vary", "Origin");
  if (ofAny && (ctx.state.appOrigins?.includes(origin) ?? true)) {
    response.headers.set("Access-Control-Allow-Origin", origin);
    response.headers.set("Access-Control-Expose-Headers", EXPOSED_HEADERS);
  }
  return response;
}

function preflightResponse(pathname: string): Response {
  return new Response(null, {
    status: 204,
    headers: {
      "Access-Control-Allow-Methods": FOR_APPS[pathname],
      "Access-Control-Allow-Headers": REQUEST_HEADERS,
      "Access-Control-Max-Age": String(PREFLIGHT_SECONDS),
    },
  });
}
