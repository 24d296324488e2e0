import { issueAccessToken } from "../../lib/access/access_token.ts";
import { endpoint, endpoints } from "../../lib/web/endpoints/endpoint.ts";

export const handler = endpoints({
  POST: endpoint("POST /auth/token", ({ services, caller, input }) => issueAccessToken(services, caller, input)),
});
