import { strictEqual } from "node:assert/strict";
import { initials } from "./Avatar.tsx";

Deno.test("initials keep characters of several code points whole", () => {
  const cases: [name: string, expected: string][] = [
    ["Ada Lovelace", "AL"],
    ["ada", "A"],
    ["Ada King (the Countess) Lovelace", "AL"],
    ["(ada) 1 lovelace", "AL"],
    ["E\u0301mile Zola", "E\u0301Z"],
    ["👩‍👩‍👧‍👦", "👩‍👩‍👧‍👦"],
    ["🇳🇱 1", "🇳🇱"],
    ["👍🏽 Ada", "A"],
    ["निकिता शर्मा", "निश"],
    ["각하", "각"],
    ["محمد علي", "مع"],
    ["42", "4"],
  ];
  for (const [name, expected] of cases) strictEqual(initials(name), expected, name);
});

Deno.test("initials need no segmenter, which older browsers lack", async () => {
  const { Segmenter } = Intl;
  try {
    Reflect.deleteProperty(Intl, "Segmenter");
    const loaded = await import("./Avatar.tsx?loaded-without-segmenter");
    strictEqual(loaded.initials("E\u0301mile Zola"), "E\u0301Z");
  } finally {
    Object.assign(Intl, { Segmenter });
  }
});
