import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { contrast, fromOklch } from "../brand/oklch.ts";
import { TEXT_CONTRAST } from "../brand/palette.ts";
import { hueOf, initials } from "./Avatar.tsx";

const HUES = 12;

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

Deno.test("people of a list have different hues, and each keeps the same", () => {
  const names = ["Ada Lovelace", "Grace Hopper", "Alan Turing", "Tony Hoare", "Mary Jackson", "ليلى حسن", "Émilie"];
  const hues = names.map(hueOf);
  ok(hues.every((hue) => Number.isInteger(hue) && hue >= 0 && hue < HUES), String(hues));
  ok(new Set(hues).size >= 5, String(hues));
  strictEqual(hueOf("Ada Lovelace"), hues[0]);
});

Deno.test("the initials of people are readable in each of their hues, in both modes", async () => {
  const css = await Deno.readTextFile(new URL("../../static/cards.css", import.meta.url));
  const hues = [...css.matchAll(/\[data-hue="(\d+)"\] \{\s*--hue: (\d+);/g)].map(([, index, hue]) => [+index, +hue]);
  deepStrictEqual(hues.map(([index]) => index), Array.from({ length: HUES }, (_, index) => index));
  const shades = (name: string) =>
    [...css.split(`--${name}:`)[1].split(";")[0].matchAll(/oklch\(([\d.]+) ([\d.]+) var/g)].map(([, l, c]) => [+l, +c]);
  const [faces, initials] = [shades("face"), shades("initials")];
  for (const [, degrees] of hues) {
    for (const mode of faces.keys()) {
      const [back, front] = [faces, initials].map((each) => {
        const [lightness, chroma] = each[mode];
        return fromOklch({ lightness, chroma, hue: degrees * Math.PI / 180 });
      });
      ok(contrast(front, back) >= TEXT_CONTRAST, `${degrees} degrees: ${contrast(front, back)}`);
    }
  }
});
