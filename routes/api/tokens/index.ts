import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { type CreatedToken, issueApiToken, listTokens, tokenView } from "../../../lib/access/token_list.ts";
import { ListSchema, pageOf } from "../../../lib/schemas/list.ts";
import { requireRecentProof } from "../../../lib/sign_in/proof.ts";
import { ApiTokenList, ApiTokenSchema, CreatedApiToken } from "../../../lib/access/schema.ts";

export const handler = endpoints({
  GET: endpoint({
    operationId: "listTokens",
    summary: "List your API tokens",
    description: "Newest first, without the tokens themselves.",
    caller: "session",
    whileClosing: "refused",
    query: ListSchema,
    returns: { 200: ApiTokenList },
    sends: ["Link"],
  }, async ({ services, caller, query }) => {
    return pageOf((await listTokens(services, caller.user)).map(tokenView), query);
  }),
  POST: endpoint({
    operationId: "createToken",
    summary: "Create an API token",
    description: "Requires a recent proof. `token` is never shown again.",
    caller: "session",
    whileClosing: "refused",
    body: ApiTokenSchema,
    returns: { 201: CreatedApiToken },
    errors: ["REAUTHENTICATION_REQUIRED", "TOO_MANY"],
    isRepeatable: true,
    limit: "security",
  }, async ({ services, caller, input, atCommit }) => {
    await requireRecentProof(services, caller);
    const view = ({ listed, token }: CreatedToken) => ({ data: tokenView(listed), token });
    return view(await issueApiToken(services, caller, input, atCommit(view)));
  }),
});
