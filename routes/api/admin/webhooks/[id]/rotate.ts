import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";
import { actorIn } from "../../../../../lib/access/principal.ts";
import { rotateSecret } from "../../../../../lib/webhooks/webhook.ts";
import { secretView } from "../../../../../lib/webhooks/webhook_views.ts";
import { PLAIN_ACT } from "../../../../../lib/api/admin_entries.ts";
import { WebhookWithSecretView } from "../../../../../lib/webhooks/schema.ts";

export const handler = endpoints({
  POST: endpoint({
    ...PLAIN_ACT,
    caller: "adminSession",
    operationId: "replaceWebhookSecret",
    summary: "Replace the secret of a webhook",
    description: "For 24 hours the previous secret signs too. `secret` is shown once.",
    returns: { 200: WebhookWithSecretView },
    errors: ["TOO_MANY"],
  }, async ({ services, caller, params, input, atCommit }) => {
    const act = { id: params.id, by: actorIn(caller), ...input };
    return secretView(await rotateSecret(services, act, atCommit(secretView)));
  }),
});
