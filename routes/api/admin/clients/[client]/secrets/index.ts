import { actorIn } from "../../../../../../lib/access/principal.ts";
import { createSecret } from "../../../../../../lib/admin/client_acts.ts";
import { ClientSecretView } from "../../../../../../lib/admin/schema.ts";
import { REASONED_ACT } from "../../../../../../lib/api/admin_entries.ts";
import { endpoint, endpoints } from "../../../../../../lib/web/endpoints/endpoint.ts";

export const handler = endpoints({
  POST: endpoint({
    ...REASONED_ACT,
    caller: "adminSession",
    operationId: "createClientSecret",
    summary: "Make a secret for an app that was made in the browser",
    description: "At most two at a time, so that one can be replaced. `secret` is shown once.",
    returns: { 201: ClientSecretView },
    errors: ["MANAGED_BY_FILE", "TOO_MANY"],
  }, async ({ services, caller, params: { client: id }, input: { reason }, atCommit }) => {
    return await createSecret(services, { id, by: actorIn(caller), reason }, atCommit((secret) => secret));
  }),
});
