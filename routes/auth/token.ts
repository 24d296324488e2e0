import { issueAccessToken } from "../../lib/access/access_token.ts";
import { endpoint, endpoints } from "../../lib/web/endpoints/endpoint.ts";
import { askingProduct } from "../../lib/web/middleware/same_origin.ts";
import { requireAudiences } from "../../lib/config/features.ts";
import { AccessTokenSchema, AccessTokenView } from "../../lib/access/schema.ts";

export const handler = endpoints({
  POST: endpoint(
    {
      operationId: "createAccessToken",
      summary: "Get an access token for a product",
      description:
        "The audience must be listed in TOKEN_AUDIENCES. Pages of a product get tokens for their own origin only. Your " +
        "address must be confirmed.",
      caller: "session",
      whileClosing: "refused",
      requireFeature: requireAudiences,
      body: AccessTokenSchema,
      returns: { 200: AccessTokenView },
      errors: ["EMAIL_NOT_VERIFIED"],
      limit: { none: "It stores nothing, and products need a new token every few minutes" },
    },
    ({ services, caller, input, ctx }) =>
      issueAccessToken(services, caller, { ...input, product: askingProduct(ctx.req.headers, services.config) }),
  ),
});
