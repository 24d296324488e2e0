import { unixSeconds } from "../duration.ts";
import type { DeliveryView, WebhookView } from "./schema.ts";
import { cursorOfId } from "../schemas/list.ts";
import type { DeliveryPage, ListedDelivery } from "./delivery_list.ts";
import type { ListedWebhook, WebhookWithSecret } from "./webhook.ts";

/** The fields of a webhook in the API. */
export function webhookView({ id, url, kinds, createdAt, disabledAt }: ListedWebhook): WebhookView {
  return { id, url, kinds, createdAt: unixSeconds(createdAt), disabledAt: disabledAt && unixSeconds(disabledAt) };
}

/** The response that shows the secret of a webhook once. */
export function secretView({ webhook, secret }: WebhookWithSecret): { data: WebhookView; secret: string } {
  return { data: webhookView(webhook), secret };
}

/** A page of deliveries in the API. */
export function deliveryPageView({ deliveries, next }: DeliveryPage): {
  data: DeliveryView[];
  nextCursor: string | null;
} {
  return { data: deliveries.map(deliveryView), nextCursor: next && cursorOfId(next) };
}

/** The fields of a delivery in the API. */
function deliveryView({ happenedAt, endedAt, nextAttemptAt, ...delivery }: ListedDelivery): DeliveryView {
  return {
    ...delivery,
    createdAt: unixSeconds(happenedAt),
    endedAt: endedAt && unixSeconds(endedAt),
    nextAttemptAt: nextAttemptAt && unixSeconds(nextAttemptAt),
  };
}
