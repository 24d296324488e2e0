import type { Config } from "../config/config.ts";
import { REFERRER_POLICY } from "../web/referrer_policy.ts";

/** Source: docs/rules.md, Response headers. */
const FIXED: [string, string][] = [
  ["X-Content-Type-Options", "nosniff"],
  ["X-XSS-Protection", "1; mode=block"],
  ["X-Frame-Options", "DENY"],
  ["Referrer-Policy", REFERRER_POLICY],
  ["Strict-Transport-Security", "max-age=31536000; includeSubDomains; preload"],
];

/** Those of which a response may have its own: stored objects forbid more. */
export const REPLACEABLE = ["Content-Security-Policy", "Referrer-Policy"];

/** The headers of every response. */
export function securityHeaders(config: Config): [string, string][] {
  return [...FIXED, ["Content-Security-Policy", contentSecurityPolicy(config)]];
}

function contentSecurityPolicy({ apiOrigins, s3 }: Config): string {
  const storeOrigins = s3 === undefined ? [] : [new URL(s3.endpoint).origin];
  // A store may serve images without TLS, on a developer's machine or in a private network: public ones at
  // S3_PUBLIC_URL, and private ones, to which /files redirects, at S3_ENDPOINT. All others are covered by https.
  const withoutTls = [s3?.publicUrl, s3?.endpoint].filter((url) => url?.startsWith("http:"));
  const imageOrigins = [...new Set(withoutTls.map((url) => new URL(url!).origin))];
  return [
    "default-src 'self'",
    "script-src 'self' 'unsafe-inline'",
    "style-src 'self' 'unsafe-inline'",
    ["img-src 'self' data: https:", ...imageOrigins].join(" "),
    "font-src 'self'",
    ["connect-src 'self'", ...apiOrigins, ...storeOrigins].join(" "),
    "frame-ancestors 'none'",
    "base-uri 'self'",
    "form-action 'self'",
  ].join("; ");
}
