import { createMailDispatcher } from "../../../lib/mail/outbox_worker.ts";
import type { Services } from "../../../lib/services.ts";

/** Delivers the emails that are due, waits until all deliveries have ended and returns how many there were. */
export async function deliverDueMails(services: Services): Promise<number> {
  const dispatcher = createMailDispatcher(services);
  const count = await dispatcher.dispatch();
  await dispatcher.waitUntilIdle();
  return count;
}
