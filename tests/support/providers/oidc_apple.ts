import { generateKeyPairSync } from "node:crypto";
import { jwtVerify } from "jose";
import { type OidcProvider, startOidcProvider } from "./oidc_provider.ts";

const CLIENT_ID = "example.foyer.web";
const [TEAM_ID, KEY_ID] = ["A1B2C3D4E5", "F6G7H8I9J0"];
/** What Apple's metadata has not. */
const UNKNOWN = ["userinfo_endpoint", "authorization_response_iss_parameter_supported"];

/**
 * Starts a real OpenID Connect provider with what is different at Apple: scopes without `openid`, an answer that its
 * own page posts, signed client secrets, addresses that are confirmed in words, and no userinfo. It never tells a name.
 *
 * @param now the clock with which client secrets are checked.
 */
export async function startOidcApple(
  { redirectUri, now }: { redirectUri: string; now(): Date },
): Promise<OidcProvider> {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const checks = { algorithms: ["ES256"], issuer: TEAM_ID, subject: CLIENT_ID, audience: "https://appleid.apple.com" };
  const provider = await startOidcProvider({
    redirectUri,
    dialect: {
      client: { client_id: CLIENT_ID, token_endpoint_auth_method: "client_secret_post" },
      configuration: {
        claims: { openid: ["sub"], email: ["email", "email_verified"] },
        conformIdTokenClaims: false,
        findAccount(_ctx, sub) {
          const { email } = provider.people.get(sub)!;
          return { accountId: sub, claims: () => ({ sub, email, email_verified: "true" }) };
        },
      },
      adapt(oidc) {
        oidc.Client.prototype.compareClientSecret = async (secret: string) => {
          const options = { ...checks, currentDate: now(), requiredClaims: ["iat", "exp"] };
          const { protectedHeader } = await jwtVerify(secret, publicKey, options);
          return protectedHeader.kid === KEY_ID;
        };
        oidc.use(async (ctx, next) => {
          const { scope } = ctx.query;
          if (ctx.path === "/auth") ctx.query = { ...ctx.query, scope: `openid ${scope}` };
          await next();
          if (!ctx.path.startsWith("/.well-known/")) return;
          const metadata = ctx.body as Record<string, unknown>;
          ctx.body = Object.fromEntries(Object.entries(metadata).filter(([name]) => !UNKNOWN.includes(name)));
        });
      },
    },
  });
  const env = {
    IDP_PROVIDERS: "apple",
    IDP_APPLE_ISSUER: provider.issuer,
    IDP_APPLE_CLIENT_ID: CLIENT_ID,
    IDP_APPLE_TEAM_ID: TEAM_ID,
    IDP_APPLE_KEY_ID: KEY_ID,
    IDP_APPLE_PRIVATE_KEY: String(privateKey.export({ type: "pkcs8", format: "pem" })).replaceAll("\n", "\\n"),
  };
  return { ...provider, env };
}
