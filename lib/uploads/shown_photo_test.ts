import { strictEqual } from "node:assert/strict";
import type { Services } from "../services/services.ts";
import { storedAvatar } from "./shown_photo.ts";

const BASE_URL = "https://foyer.test";

/** Returns what a row keeps of an avatar while files are served at an address. */
function storedOf(avatar: string, storeUrl: string): string | null {
  const objects = { publicUrl: (key: string) => storeUrl + key };
  return storedAvatar(avatar, { config: { baseUrl: BASE_URL, uploads: "on" }, objects } as unknown as Services);
}

Deno.test("an avatar is an https address or the key of a public file, wherever the files are", () => {
  const cases: [store: string, avatar: string, stored: string | null][] = [
    ["https://foyer.test/files/", "https://foyer.test/files/images/avatar/a.webp", "images/avatar/a.webp"],
    ["https://foyer.test/files/", "https://foyer.test/files/private/u/a.webp", null],
    ["https://foyer.test/files/", "https://foyer.test/files/private/u/a.webp?link=x", null],
    ["https://foyer.test/files/", "https://foyer.test/private/a.webp", null],
    ["https://foyer.test/files/", "https://elsewhere.test/private/a.webp", "https://elsewhere.test/private/a.webp"],
    ["http://store.test/bucket/", "http://store.test/bucket/images/avatar/a.webp", "images/avatar/a.webp"],
    ["http://store.test/bucket/", "http://store.test/bucket/private/u/a.webp", null],
    ["http://store.test/bucket/", "https://foyer.test/files/private/u/a.webp", null],
    ["https://store.test/", "https://store.test/private/u/a.webp", null],
    ["https://store.test/", "https://store.test/images/avatar/a.webp", "images/avatar/a.webp"],
    ["https://foyer.test/bucket/", "https://foyer.test/bucket/images/avatar/a.webp", "images/avatar/a.webp"],
    ["https://foyer.test/bucket/", "https://foyer.test/bucket/private/u/a.webp", null],
    ["https://foyer.test/bucket/", "https://foyer.test/files/private/u/a.webp", null],
    ["https://foyer.test/bucket/", "https://foyer.test/files/images/avatar/a.webp", "images/avatar/a.webp"],
    ["https://store.test/", "https://store.test/images/avatar/a.webp?v=1", "images/avatar/a.webp"],
    ["https://store.test/", "https://store.test/other%2Fa.webp", "https://store.test/other%2Fa.webp"],
    ["https://store.test/", "https://store.test/", "https://store.test/"],
  ];
  for (const [store, avatar, expected] of cases) strictEqual(storedOf(avatar, store), expected, `${avatar} ${store}`);
});
