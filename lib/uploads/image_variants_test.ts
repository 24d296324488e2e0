import { strictEqual } from "node:assert/strict";
import { imageSrcset } from "./rules.ts";

Deno.test("imageSrcset returns the copies that an image has, and itself in the place of a missing one", () => {
  const folder = "https://foyer.test/files/images/avatar";
  const id = "0197a1b2-0000-7000-8000-0123456789ab";
  strictEqual(imageSrcset(`${folder}/${id}.webp`), `${folder}/${id}-128.webp 128w, ${folder}/${id}-512.webp 512w`);
  const post = `https://foyer.test/files/images/post/${id}`;
  strictEqual(imageSrcset(`${post}.webp`), `${post}-640.webp 640w, ${post}-1280.webp 1280w`);
  const narrow = `${folder}/${id.replace("-7000", "-8000")}`;
  strictEqual(imageSrcset(`${narrow}.webp`), `${narrow}-128.webp 128w, ${narrow}.webp 512w`);
  const others = [
    `${folder}/${id.replace("-7000", "-4000")}.webp`,
    `${folder}/${id}-128.webp`,
    `${folder}/${id}.webp?a=b`,
    `${folder}/x${id}.webp`,
    `https://foyer.test/files/images/other/${id}.webp`,
    "https://elsewhere.example/me.webp",
    "data:image/png;base64,AAAA",
  ];
  for (const url of others) strictEqual(imageSrcset(url), undefined, url);
});
