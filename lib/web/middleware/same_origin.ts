import type { Config } from "../../config/config.ts";
import { AppError } from "../../errors.ts";
import { LOOPBACK_NAMES } from "../../loopback.ts";
import { hasBearer } from "../../http/bearer_token.ts";
import { define } from "../state.ts";

const SAFE_METHODS = ["GET", "HEAD", "OPTIONS"];

/**
 * Refuses state-changing requests from pages of other origins. Browsers send Origin with these, or at least
 * Sec-Fetch-Site. Programs send neither, but no other site can make them send a request with their cookies.
 * No page can know an API token, so requests that present one are not checked.
 *
 * @throws {AppError} FORBIDDEN. Source: OWASP, Cross-Site Request Forgery Prevention.
 */
export const sameOriginOnly = define.middleware((ctx) => {
  const { headers, method } = ctx.req;
  if (SAFE_METHODS.includes(method) || hasBearer(ctx.req) || isOwn(headers, ctx.state.services.config)) {
    return ctx.next();
  }
  const cause = otherOrigin(headers, ctx.state.services.config);
  throw new AppError("FORBIDDEN", { reason: "origin", cause });
});

function otherOrigin(headers: Headers, { baseUrl, corsOrigins }: Config): string {
  const origin = headers.get("origin");
  if (origin === null) return `Sec-Fetch-Site is ${headers.get("sec-fetch-site")}, and there is no Origin`;
  return `Origin ${origin} is neither BASE_URL (${baseUrl}) nor in CORS_ORIGINS (${corsOrigins.join(" ") || "empty"})`;
}

function isOwn(headers: Headers, config: Config): boolean {
  const origin = headers.get("origin");
  if (origin !== null) return ownOrigins(config).includes(origin) || config.corsOrigins.includes(origin);
  const site = headers.get("sec-fetch-site");
  return site === null || site === "same-origin" || site === "none";
}

/** In development, every name of this machine is an own origin. */
function ownOrigins({ isProduction, baseUrl }: Config): string[] {
  const { protocol, port, hostname } = new URL(baseUrl);
  if (isProduction || !LOOPBACK_NAMES.includes(hostname)) return [baseUrl];
  return LOOPBACK_NAMES.map((name) => new URL(`${protocol}//${name}:${port}`).origin);
}
