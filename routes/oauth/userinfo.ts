import { readUserinfo } from "../../lib/authorization_server/tokens/userinfo.ts";
import { rateLimited } from "../../lib/limits/rate_limit.ts";
import { endpoints, plainEndpoint } from "../../lib/web/endpoints/endpoint.ts";
import { oauthResponse, presentedAccessToken } from "../../lib/web/oauth/oauth_response.ts";
import { requireRegistrations } from "../../lib/config/features.ts";
import { UserinfoView } from "../../lib/authorization_server/schema.ts";

/** What both methods have in common. */
const ENTRY = {
  caller: "public",
  whileClosing: "open",
  requireFeature: requireRegistrations,
  forApps: { presents: "accessToken", errors: ["invalid_request", "invalid_token", "insufficient_scope"] },
  returns: { 200: UserinfoView },
} as const;

const read = async ({ req, state }: Parameters<Parameters<typeof plainEndpoint>[1]>[0]) => {
  const { claims, client, limit } = await readUserinfo(state.services, presentedAccessToken(req));
  state.appOrigins = client.origins;
  state.tokenLimit = limit ?? undefined;
  if (limit?.isExceeded) throw rateLimited(limit);
  return oauthResponse(claims);
};

export const handler = endpoints({
  GET: plainEndpoint({
    ...ENTRY,
    operationId: "getUserinfo",
    summary: "Read who uses an app",
    description: "With an access token of an app, for this service.",
  }, read),
  POST: plainEndpoint({
    ...ENTRY,
    operationId: "getUserinfoWithPost",
    summary: "Read who uses an app, with POST",
    limit: { none: "It stores nothing, and requests with one grant count under the policy token" },
  }, read),
});
