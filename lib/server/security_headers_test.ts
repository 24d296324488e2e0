import { match } from "node:assert/strict";
import { type Config, readSettings } from "../config/config.ts";
import { securityHeaders } from "./security_headers.ts";

const S3 = {
  S3_REGION: "eu-test-1",
  S3_BUCKET: "uploads",
  S3_ACCESS_KEY_ID: "id",
  S3_SECRET_ACCESS_KEY: "secret",
};

function policyOf(env: Record<string, string>): string {
  return Object.fromEntries(securityHeaders(readSettings(env) as Config))["Content-Security-Policy"];
}

Deno.test("pages may show images of a store without TLS: public and private ones", () => {
  const cases: [publicUrl: string, endpoint: string, more: string][] = [
    ["https://files.example", "https://s3.example", ""],
    ["http://files.test/a", "https://s3.example", " http://files.test"],
    ["https://files.example", "http://10.0.0.5:9000", " http://10.0.0.5:9000"],
    ["http://s3.test:9000/uploads", "http://s3.test:9000", " http://s3.test:9000"],
    ["http://files.test", "http://s3.test:9000", " http://files.test http://s3.test:9000"],
  ];
  for (const [S3_PUBLIC_URL, S3_ENDPOINT, more] of cases) {
    const policy = policyOf({ ...S3, S3_PUBLIC_URL, S3_ENDPOINT });
    match(policy, new RegExp(`; img-src 'self' data: https:${more};`));
    match(policy, new RegExp(`; connect-src 'self'.* ${new URL(S3_ENDPOINT).origin};`));
  }
  match(policyOf({}), /; img-src 'self' data: https:;/);
});
