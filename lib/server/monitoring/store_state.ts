import { SECOND_MS } from "../../duration.ts";
import { errorFields } from "../../log/log.ts";
import type { ObjectStore } from "../../services/object_store.ts";
import type { Services } from "../../services/services.ts";
import { inTime } from "./in_time.ts";

/** How long the result of a check is used. Anyone may ask, and a check may be a write or a request to a bucket. */
const RESULT_MS = 5 * SECOND_MS;

interface StoreState {
  isWorking: Promise<boolean>;
  checkedAt: Date;
}

const states = new WeakMap<ObjectStore, StoreState>();

/** Whether the object store can take objects. Asks it at most once in five seconds. Never throws. */
export function isStoreWorking({ objects, now, log }: Pick<Services, "objects" | "now" | "log">): Promise<boolean> {
  const known = states.get(objects);
  const checkedAt = now();
  if (known !== undefined && Math.abs(checkedAt.getTime() - known.checkedAt.getTime()) < RESULT_MS) {
    return known.isWorking;
  }
  const isWorking = inTime("object store", objects.check()).then(() => true, (error) => {
    log("warn", "object store failed", errorFields(error));
    return false;
  });
  states.set(objects, { isWorking, checkedAt });
  return isWorking;
}
