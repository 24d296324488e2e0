import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { type CreatedToken, issueApiToken, listTokens, tokenView } from "../../../lib/access/token_list.ts";
import { pageOf } from "../../../lib/schemas/list.ts";
import { requireRecentProof } from "../../../lib/sign_in/proof.ts";

export const handler = endpoints({
  GET: endpoint("GET /api/tokens", async ({ services, caller, query }) => {
    return pageOf((await listTokens(services, caller.user)).map(tokenView), query);
  }),
  POST: endpoint("POST /api/tokens", async ({ services, caller, input, atCommit }) => {
    await requireRecentProof(services, caller);
    const view = ({ listed, token }: CreatedToken) => ({ data: tokenView(listed), token });
    return view(await issueApiToken(services, caller, input, atCommit(view)));
  }),
});
