import { issueAccessToken } from "../../lib/access/access_token.ts";
import { endpoint, endpoints } from "../../lib/web/endpoints/endpoint.ts";
import { askingProduct } from "../../lib/web/middleware/same_origin.ts";

export const handler = endpoints({
  POST: endpoint(
    "POST /auth/token",
    ({ services, caller, input, ctx }) =>
      issueAccessToken(services, caller, { ...input, product: askingProduct(ctx.req.headers, services.config) }),
  ),
});
