import { createMailDispatcher } from "../../../lib/mail/outbox_worker.ts";
import type { Services } from "../../../lib/services/services.ts";

/** Delivers all emails that are due, waits until their deliveries have ended and returns how many there were. */
export async function deliverDueMails(services: Services): Promise<number> {
  let total = 0;
  for (let count; (count = await deliverNextMails(services)) > 0;) total += count;
  return total;
}

/** The same for as many emails as are delivered at a time. */
export async function deliverNextMails(services: Services): Promise<number> {
  const dispatcher = createMailDispatcher(services);
  const count = await dispatcher.dispatch();
  await dispatcher.waitUntilIdle();
  return count;
}
