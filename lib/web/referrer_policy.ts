/**
 * The policy of all pages: as a header, and in their heads, because some proxies add `Referrer-Policy: no-referrer`.
 * With that, browsers send forms with `Origin: null`, as forms of other sites can. What a page says itself comes last.
 * Source: Fetch, "append a request Origin header".
 */
export const REFERRER_POLICY = "strict-origin-when-cross-origin";

/** Returns the policy that a page says itself; null on pages below /files/, whose addresses no one else may learn. */
export function policyInPage({ pathname }: URL): string | null {
  return pathname.startsWith("/files/") ? null : REFERRER_POLICY;
}
