import type { KyselyPlugin } from "kysely";
import type { ObjectStore } from "../../../lib/services/object_store.ts";
import type { Services } from "../../../lib/services/services.ts";

/** The error of a step that was not taken. */
export class Crash extends Error {}

/**
 * Returns services that fail for good after a number of steps, as if the process had been killed. Each query and each
 * call of the store is a step.
 */
export function crashAfter(steps: number, services: Services): Services {
  let left = steps;
  const step = () => {
    if (left-- <= 0) throw new Crash();
  };
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      step();
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
  /** Each object is a step of its own. */
  const putAll: ObjectStore["putAll"] = (files) =>
    Array.fromAsync(files, ({ key, bytes, contentType }) => {
      step();
      return services.objects.put(key, bytes, contentType);
    });
  const objects = new Proxy(services.objects, {
    get(store, name: keyof ObjectStore) {
      const method = store[name] as (...parameters: unknown[]) => unknown;
      if (name === "publicUrl" || name === "list") return method;
      if (name === "putAll") return putAll;
      return async (...parameters: unknown[]) => {
        await Promise.resolve();
        step();
        return await method.apply(store, parameters);
      };
    },
  });
  return { ...services, objects, db: services.db.withPlugin(plugin) };
}
