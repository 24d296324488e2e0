import { proofView } from "../../../lib/sign_in/proof.ts";
import { reauthenticate } from "../../../lib/sign_in/step_up.ts";
import { replaceSession } from "../../../lib/web/authentication/current_session.ts";
import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { ProofSchema } from "../../../lib/sign_in/schema.ts";
import { Proved } from "../../../lib/accounts/schema.ts";

export const handler = endpoints({
  POST: endpoint({
    operationId: "reauthenticate",
    summary: "Prove again who you are",
    description: "Dangerous actions require a recent proof. The session gets a new token.",
    caller: "session",
    whileClosing: "open",
    whileWaiting: "open",
    body: ProofSchema,
    returns: { 200: Proved },
    sends: ["Set-Cookie"],
    errors: ["PROOF_WRONG", "PASSWORDS_OFF", "REAUTHENTICATION_REQUIRED"],
    limit: "proof",
  }, async ({ services, caller, input: proof, ctx }) => {
    const session = await reauthenticate(services, caller, { proof });
    replaceSession(ctx, session);
    return { success: true, message: "Identity confirmed", ...proofView(services, session) };
  }),
});
