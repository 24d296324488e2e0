import { deepStrictEqual } from "node:assert/strict";
import type { Tidied } from "../services/object_store.ts";
import type { Services } from "../services/services.ts";
import { createConversion } from "./conversion.ts";

Deno.test("a conversion continues where the step before ended, and starts over after the last one", async () => {
  const results: Tidied[] = [
    { convertedObjects: 1, failedKeys: [], next: "b" },
    { convertedObjects: 0, failedKeys: ["c"], next: null },
    { convertedObjects: 0, failedKeys: [], next: null },
  ];
  const starts: (string | undefined)[] = [];
  const lines: string[] = [];
  const objects = {
    tidy({ after }: { after?: string }) {
      starts.push(after);
      return Promise.resolve(results[starts.length - 1]);
    },
  };
  const log = (level: string, message: string) => lines.push(`${level} ${message}`);
  const convert = createConversion({ objects, log } as unknown as Services);
  deepStrictEqual([await convert(), await convert(), await convert()], [200, 0, 0]);
  deepStrictEqual(starts, [undefined, "b", undefined]);
  deepStrictEqual(lines, ["info stored files converted", "warn stored files not converted"]);
});
