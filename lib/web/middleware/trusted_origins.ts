import type { Config } from "../../config/config.ts";

/** The requests that scripts of products may send with the user's session: the method, by path. */
const FOR_PRODUCTS: Record<string, string> = {
  "/auth/check": "GET",
  "/auth/logout": "POST",
  "/auth/token": "POST",
};

/** A request that a page of another origin sends. */
interface OutsideRequest {
  origin: string | null;
  method: string;
  pathname: string;
}

/**
 * Whether pages of another origin may send this request with the user's session: any request of an origin in
 * CORS_ORIGINS, and of a product in TOKEN_AUDIENCES only what it needs to know its user and to log out.
 */
export function isTrusted({ origin, method, pathname }: OutsideRequest, config: Config): boolean {
  // Apps have origins of their own, and forms of the authorization server only come from its own pages.
  if (origin === null || /^\/oauth(\/|$)/.test(pathname)) return false;
  if (config.corsOrigins.includes(origin)) return true;
  return isForProducts(pathname) && FOR_PRODUCTS[pathname] === method && config.productOrigins.includes(origin);
}

/** Whether scripts of products may send requests to this path. */
export function isForProducts(pathname: string): boolean {
  return Object.hasOwn(FOR_PRODUCTS, pathname);
}
