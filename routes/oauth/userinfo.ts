import { readUserinfo } from "../../lib/authorization_server/tokens/userinfo.ts";
import { rateLimited } from "../../lib/limits/rate_limit.ts";
import { endpoints, plainEndpoint } from "../../lib/web/endpoints/endpoint.ts";
import { oauthResponse, presentedAccessToken } from "../../lib/web/oauth/oauth_response.ts";

const read = async ({ req, state }: Parameters<Parameters<typeof plainEndpoint>[1]>[0]) => {
  const { claims, clientId, limit } = await readUserinfo(state.services, presentedAccessToken(req));
  state.appOrigins = state.services.config.registrations?.clients.get(clientId)?.origins ?? [];
  state.tokenLimit = limit ?? undefined;
  if (limit?.isExceeded) throw rateLimited(limit);
  return oauthResponse(claims);
};

export const handler = endpoints({
  GET: plainEndpoint("GET /oauth/userinfo", read),
  POST: plainEndpoint("POST /oauth/userinfo", read),
});
