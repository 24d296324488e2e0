import { proofView } from "../../../lib/sign_in/proof.ts";
import { reauthenticate } from "../../../lib/sign_in/step_up.ts";
import { replaceSession } from "../../../lib/web/authentication/current_session.ts";
import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";

export const handler = endpoints({
  POST: endpoint("POST /auth/reauthenticate", async ({ services, caller, input: proof, ctx }) => {
    const session = await reauthenticate(services, caller, { proof });
    replaceSession(ctx, session);
    return { success: true, message: "Identity confirmed", ...proofView(services, session) };
  }),
});
