import { strictEqual } from "node:assert/strict";
import type { Services } from "../services.ts";
import { isAvatarAllowed } from "./shown_photo.ts";

const BASE_URL = "https://foyer.test";

/** Returns whether an address may be an avatar while files are served at an address. */
function isAllowed(avatar: string, storeUrl: string): boolean {
  const objects = { publicUrl: (key: string) => storeUrl + key };
  return isAvatarAllowed(avatar, { config: { baseUrl: BASE_URL }, objects } as unknown as Services);
}

Deno.test("an avatar is an https address or a public file, wherever the files are", () => {
  const cases: [store: string, avatar: string, isAllowed: boolean][] = [
    ["https://foyer.test/files/", "https://foyer.test/files/images/avatar/a.webp", true],
    ["https://foyer.test/files/", "https://foyer.test/files/private/u/a.webp", false],
    ["https://foyer.test/files/", "https://foyer.test/files/private/u/a.webp?link=x", false],
    ["https://foyer.test/files/", "https://foyer.test/private/a.webp", false],
    ["https://foyer.test/files/", "https://elsewhere.test/private/a.webp", true],
    ["http://store.test/bucket/", "http://store.test/bucket/images/avatar/a.webp", true],
    ["http://store.test/bucket/", "http://store.test/bucket/private/u/a.webp", false],
    ["http://store.test/bucket/", "https://foyer.test/files/private/u/a.webp", false],
    ["https://store.test/", "https://store.test/private/u/a.webp", false],
    ["https://store.test/", "https://store.test/images/avatar/a.webp", true],
    ["https://foyer.test/bucket/", "https://foyer.test/bucket/images/avatar/a.webp", true],
    ["https://foyer.test/bucket/", "https://foyer.test/bucket/private/u/a.webp", false],
    ["https://foyer.test/bucket/", "https://foyer.test/files/private/u/a.webp", false],
  ];
  for (const [store, avatar, expected] of cases) strictEqual(isAllowed(avatar, store), expected, `${avatar} ${store}`);
});
