import { deepStrictEqual, notStrictEqual, ok, rejects } from "node:assert/strict";
import { decryptMail, encryptMail } from "./payload_cipher.ts";

const MAIL = { to: "a@example.com", subject: "Hello", html: "<p>link</p>", text: "https://foyer.test/?token=T0KEN ü" };
const KEY = { id: "mail-1", appSecret: "s".repeat(32) };

Deno.test("a mail opens with its id and secret, and with no others", async () => {
  const payload = await encryptMail(MAIL, KEY);
  ok(!payload.includes("T0KEN"));
  deepStrictEqual(await decryptMail(payload, KEY), MAIL);
  notStrictEqual(await encryptMail(MAIL, KEY), payload);
  await rejects(decryptMail(payload, { ...KEY, id: "mail-2" }));
  await rejects(decryptMail(payload, { ...KEY, appSecret: "t".repeat(32) }));
  await rejects(decryptMail(payload.replace(/.$/, (last) => last === "A" ? "B" : "A"), KEY));
});
