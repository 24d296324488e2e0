import type { Context } from "fresh";
import type { Config } from "../../config/config.ts";
import { AppError } from "../../errors/errors.ts";
import { LOOPBACK_NAMES } from "../../network/loopback.ts";
import { hasBearer } from "../../http/bearer_token.ts";
import { define, type State } from "../state.ts";
import { isTokenEndpoint } from "../oauth/oauth_response.ts";
import { isTrusted } from "./trusted_origins.ts";

const SAFE_METHODS = ["GET", "HEAD", "OPTIONS"];
/**
 * Apps may send people to these pages with a form, which changes nothing. For forms of their own, the pages check the
 * origin themselves. Source: OpenID Connect Core, 3.1.2.1; RP-Initiated Logout, 2.
 */
const CHECK_THEMSELVES = ["/oauth/authorize", "/oauth/logout"];

/** The page of the provider that sends this form is on another site. It counts only with a state of ours. */
const POSTED_BY_PROVIDERS = ["/auth/idp/apple/callback"];

/**
 * Refuses state-changing requests from pages of other origins. Browsers send Origin with these, or at least
 * Sec-Fetch-Site. Programs send neither, but no other site can make them send a request with their cookies. No page can
 * know an API token, so requests that present one are not checked. Nor are those of apps, for which no cookie counts.
 *
 * @throws {AppError} FORBIDDEN. Source: OWASP, Cross-Site Request Forgery Prevention.
 */
export const sameOriginOnly = define.middleware((ctx) => {
  const { headers, method } = ctx.req;
  const { config } = ctx.state.services;
  if (SAFE_METHODS.includes(method) || hasBearer(ctx.req) || isOwn(headers, config)) return ctx.next();
  const { pathname } = ctx.url;
  if (isTokenEndpoint(pathname) || [...CHECK_THEMSELVES, ...POSTED_BY_PROVIDERS].includes(pathname)) return ctx.next();
  if (isTrusted({ origin: headers.get("origin"), method, pathname }, config)) return ctx.next();
  const cause = otherOrigin(headers, config);
  throw new AppError("FORBIDDEN", { reason: "origin", cause });
});

function otherOrigin(headers: Headers, { baseUrl, corsOrigins, productOrigins }: Config): string {
  const origin = headers.get("origin");
  if (origin === "null") {
    return `Origin is null, not BASE_URL (${baseUrl}). Does a proxy set Origin, or Referrer-Policy: no-referrer?`;
  }
  if (origin === null) return `Sec-Fetch-Site is ${headers.get("sec-fetch-site")}, and there is no Origin`;
  if (productOrigins.includes(origin)) {
    return `Origin ${origin} is in TOKEN_AUDIENCES, which opens only GET /auth/check, POST /auth/token and POST /auth/logout`;
  }
  const known = `neither BASE_URL (${baseUrl}) nor in CORS_ORIGINS (${corsOrigins.join(" ") || "empty"})`;
  const question = headers.get("sec-fetch-site") === "same-origin"
    ? ". The browser says that the page is from the address it was sent to: is BASE_URL right, or does a proxy set Origin?"
    : "";
  return `Origin ${origin} is ${known}${question}`;
}

/** Whether a page of this origin sends the request, or a program. */
export function isOwn(headers: Headers, config: Config): boolean {
  const origin = headers.get("origin");
  const site = headers.get("sec-fetch-site");
  // Some proxies set another Referrer-Policy, which makes browsers hide the origin of our own pages.
  if (origin === "null" && site === "same-origin") return true;
  if (origin !== null) return ownOrigins(config).includes(origin);
  return site === null || site === "same-origin" || site === "none";
}

/**
 * Returns the origin of the product whose page sends a request; null for our own pages, trusted front ends and
 * programs.
 */
export function askingProduct(headers: Headers, config: Config): string | null {
  const origin = headers.get("origin");
  return origin === null || isOwn(headers, config) || config.corsOrigins.includes(origin) ? null : origin;
}

/**
 * Requires that a page of this origin sends the form.
 *
 * @throws {AppError} FORBIDDEN.
 */
export function requireOwnOrigin({ req, state }: Context<State>): void {
  const { config } = state.services;
  if (isOwn(req.headers, config)) return;
  throw new AppError("FORBIDDEN", { reason: "origin", cause: otherOrigin(req.headers, config) });
}

/** In development, every name of this machine is an own origin. */
function ownOrigins({ isProduction, baseUrl }: Config): string[] {
  const { protocol, port, hostname } = new URL(baseUrl);
  if (isProduction || !LOOPBACK_NAMES.includes(hostname)) return [baseUrl];
  return LOOPBACK_NAMES.map((name) => new URL(`${protocol}//${name}:${port}`).origin);
}
