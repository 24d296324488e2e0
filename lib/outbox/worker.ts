import { SECOND_MS } from "../duration.ts";
import { errorFields } from "../log.ts";
import type { OutboxSignal, Services } from "../services.ts";
import { deliverDueMails } from "./deliver_mail.ts";

/** How long the worker sleeps where nobody wakes it: retries and the mails of dead instances are found so. */
const POLL_SECONDS = 1;

/** A signal that the worker of the same process waits for. */
export interface WaitableSignal extends OutboxSignal {
  /** Resolves at the next wake, at once if one came since the last wait, or after the time is over. */
  wait(milliseconds: number): Promise<void>;
}

/** A signal with nobody waiting yet. */
export function createOutboxSignal(): WaitableSignal {
  let isAwake = false;
  let rouse = () => {};
  return {
    wake() {
      isAwake = true;
      rouse();
    },
    async wait(milliseconds) {
      if (!isAwake) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, milliseconds);
        rouse = resolve;
        await promise;
        clearTimeout(timer);
      }
      isAwake = false;
    },
  };
}

/** Delivers mail in the background until it is stopped; `stop` resolves when what is under way is done. */
export function startOutboxWorker(services: Services, signal: WaitableSignal): { stop(): Promise<void> } {
  let isStopping = false;
  async function run() {
    while (!isStopping) {
      const tried = await deliverDueMails(services).catch((error) => {
        services.log("error", "outbox could not be read", errorFields(error));
        return 0;
      });
      if (tried === 0 && !isStopping) await signal.wait(POLL_SECONDS * SECOND_MS);
    }
  }
  const running = run();
  return {
    stop() {
      isStopping = true;
      signal.wake();
      return running;
    },
  };
}
