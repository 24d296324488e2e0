import type { Config } from "../config.ts";

/** Source: spec, Authentication 7. */
const FIXED: [string, string][] = [
  ["X-Content-Type-Options", "nosniff"],
  ["X-XSS-Protection", "1; mode=block"],
  ["X-Frame-Options", "DENY"],
  ["Referrer-Policy", "strict-origin-when-cross-origin"],
  ["Strict-Transport-Security", "max-age=31536000; includeSubDomains; preload"],
];

/** The headers that every response carries; stored objects bring a Content-Security-Policy of their own. */
export function securityHeaders(config: Config): [string, string][] {
  return [...FIXED, ["Content-Security-Policy", contentSecurityPolicy(config)]];
}

function contentSecurityPolicy({ apiOrigins, s3 }: Config): string {
  const storeOrigins = s3 === undefined ? [] : [new URL(s3.endpoint).origin];
  // The pictures of a store without TLS, as on a developer's machine; every other one is https.
  const pictureOrigins = s3?.publicUrl.startsWith("http:") ? [new URL(s3.publicUrl).origin] : [];
  return [
    "default-src 'self'",
    "script-src 'self' 'unsafe-inline'",
    "style-src 'self' 'unsafe-inline'",
    ["img-src 'self' data: https:", ...pictureOrigins].join(" "),
    "font-src 'self'",
    ["connect-src 'self'", ...apiOrigins, ...storeOrigins].join(" "),
    "frame-ancestors 'none'",
    "base-uri 'self'",
    "form-action 'self'",
  ].join("; ");
}
