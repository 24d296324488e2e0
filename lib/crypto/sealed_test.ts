import { deepStrictEqual, notStrictEqual, ok, rejects } from "node:assert/strict";
import { reseal, seal, unseal } from "./sealed.ts";

const MAIL = { to: "a@example.com", subject: "Hello", html: "<p>link</p>", text: "https://foyer.test/?token=T0KEN ü" };
const PLACE = { purpose: "outbox", id: "mail-1", secret: "s".repeat(32) };

Deno.test("a sealed value can be decrypted only with the same id, purpose and secret", async () => {
  const text = await seal(MAIL, PLACE);
  ok(!text.includes("T0KEN"));
  deepStrictEqual(await unseal(text, PLACE), MAIL);
  notStrictEqual(await seal(MAIL, PLACE), text);
  await rejects(unseal(text, { ...PLACE, id: "mail-2" }));
  await rejects(unseal(text, { ...PLACE, purpose: "submissions" }));
  await rejects(unseal(text, { ...PLACE, secret: "t".repeat(32) }));
  await rejects(unseal(text.replace(/.$/, (last) => last === "A" ? "B" : "A"), PLACE));
});

Deno.test("a previous secret opens what it has sealed, until that has been sealed again", async () => {
  const text = await seal(MAIL, PLACE);
  const changed = { ...PLACE, secret: "n".repeat(32), previousSecrets: ["x".repeat(32), PLACE.secret] };
  deepStrictEqual(await unseal(text, changed), MAIL);
  const resealed = await reseal(text, changed);
  const alone = { ...changed, previousSecrets: [] };
  deepStrictEqual(await unseal(resealed!, alone), MAIL);
  deepStrictEqual(await reseal(resealed!, changed), null);
  await rejects(reseal(text, alone));
});

Deno.test("a value that an earlier release sealed can be decrypted", async () => {
  const text = "WuBnhbX/cOcqhjlL:k4kECmSMlXX44vkFzCZVn9xMjOV6TD/opq450WY1xjw/4GhDF5Nb6cWFnvrrIcl9r1fnbgSkPjg17ZlOVA==";
  deepStrictEqual(await unseal(text, PLACE), { to: "a@example.com", text: "queued before" });
});
