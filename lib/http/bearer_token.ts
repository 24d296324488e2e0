const BEARER = /^bearer(?: +|$)/i;

/** Whether the request presents an API token, valid or not. Its cookies then count for nothing. */
export function hasBearer({ headers }: Request): boolean {
  return BEARER.test(headers.get("authorization") ?? "");
}

/** Returns the API token that the request presents. It may be empty. Source: RFC 6750, 2.1. */
export function bearerToken({ headers }: Request): string {
  return headers.get("authorization")!.replace(BEARER, "").trim();
}
