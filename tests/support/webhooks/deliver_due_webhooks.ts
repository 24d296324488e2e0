import type { Services } from "../../../lib/services/services.ts";
import { createWebhookDispatcher } from "../../../lib/webhooks/webhook_queue.ts";

/** Sends the events that are due, waits until all attempts have ended and returns how many there were. */
export async function deliverDueWebhooks(services: Services): Promise<number> {
  const dispatcher = createWebhookDispatcher(services);
  const count = await dispatcher.dispatch();
  await dispatcher.waitUntilIdle();
  return count;
}
