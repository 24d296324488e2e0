import { deepStrictEqual, match, notStrictEqual, strictEqual } from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Services } from "../../services/services.ts";
import { sealLink, verifyLink } from "./link_token.ts";

const NOW = new Date("2026-11-27T12:00:00.250Z");
const FILE = { key: "private/u1/3f0e8f0a-0c3c-4d0e-9a5e-2f7f7a1f9b11-passport.pdf", linkNumber: 3 };
const TERMS = { expiresAt: new Date(NOW.getTime() + 60_000), download: false };

/** The services of a process with these secrets, at a time. */
function services(
  { appSecret = "s".repeat(32), previousAppSecrets = [], now = NOW }: {
    appSecret?: string;
    previousAppSecrets?: string[];
    now?: Date;
  } = {},
): Pick<Services, "config" | "now"> {
  return { config: { appSecret, previousAppSecrets } as unknown as Services["config"], now: () => now };
}

Deno.test("a link opens its file and says whether browsers save it", async () => {
  for (const download of [false, true]) {
    const link = await sealLink(services(), FILE, { ...TERMS, download });
    match(link, /^[A-Za-z0-9_-]{52}$/);
    deepStrictEqual(await verifyLink(services(), link, FILE), { download });
  }
});

Deno.test("a link works until the millisecond in which it expires", async () => {
  const link = await sealLink(services(), FILE, TERMS);
  const at = (milliseconds: number) => services({ now: new Date(TERMS.expiresAt.getTime() + milliseconds) });
  deepStrictEqual(await verifyLink(at(-1), link, FILE), { download: false });
  strictEqual(await verifyLink(at(0), link, FILE), null);
});

Deno.test("a link opens neither another file nor another number of its own", async () => {
  const link = await sealLink(services(), FILE, TERMS);
  strictEqual(await verifyLink(services(), link, { ...FILE, key: FILE.key.replace("u1", "u2") }), null);
  strictEqual(await verifyLink(services(), link, { ...FILE, linkNumber: 2 }), null);
  strictEqual(await verifyLink(services(), link, { ...FILE, linkNumber: 4 }), null);
});

Deno.test("a link with any bit changed opens nothing", async () => {
  const bytes = Buffer.from(await sealLink(services(), FILE, TERMS), "base64url");
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes);
    changed[bit >> 3] ^= 1 << (bit & 7);
    strictEqual(await verifyLink(services(), changed.toString("base64url"), FILE), null, `bit ${bit}`);
  }
});

Deno.test("a text that is no link opens nothing, nor does a link that is spelled in another way", async () => {
  const link = await sealLink(services(), FILE, TERMS);
  const texts = [
    "",
    "x",
    link.slice(0, -1),
    `${link}A`,
    `${link}=`,
    ` ${link}`,
    `${link}\n`,
    link.repeat(100),
    "é".repeat(52),
  ];
  for (const text of texts) strictEqual(await verifyLink(services(), text, FILE), null, text);
  match(link, /[-_]/);
  const inBase64 = link.replaceAll("-", "+").replaceAll("_", "/");
  strictEqual(await verifyLink(services(), inBase64, FILE), null);
});

Deno.test("links of a previous secret work, and those of any other secret do not", async () => {
  const link = await sealLink(services(), FILE, TERMS);
  const changed = { appSecret: "t".repeat(32), previousAppSecrets: ["s".repeat(32)] };
  deepStrictEqual(await verifyLink(services(changed), link, FILE), { download: false });
  strictEqual(await verifyLink(services({ appSecret: "t".repeat(32) }), link, FILE), null);
  notStrictEqual(await sealLink(services(changed), FILE, TERMS), link);
});
