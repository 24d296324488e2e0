import type { Services } from "../services/services.ts";

/** Objects that one step looks at. */
const BATCH_OBJECTS = 200;

/**
 * Creates a task that converts objects that version 0.1.0 stored in another form, batch after batch.
 *
 * @returns the number of objects that a step looked at; 0 after the last one. Then the task starts over.
 */
export function createConversion({ objects, log }: Services): () => Promise<number> {
  let after: string | undefined;
  return async () => {
    const { convertedObjects, failedKeys, next } = await objects.tidy({ after, maxObjects: BATCH_OBJECTS });
    after = next ?? undefined;
    if (convertedObjects > 0) log("info", "stored files converted", { convertedObjects });
    if (failedKeys.length > 0) log("warn", "stored files not converted", { failedKeys });
    return next === null ? 0 : BATCH_OBJECTS;
  };
}
