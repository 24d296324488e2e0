import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { openMailFolder, parseMail } from "./mail_folder.ts";

const MAIL = [
  "From: Foyer <no-reply@localhost>",
  "To: ann@example.com",
  "Subject: =?utf-8?B?R3LDvMOfZQ==?=",
  " =?UTF-8?Q?_aus_K=C3=B6ln?=",
  'Content-Type: multipart/alternative; boundary="part"',
  "",
  "--part",
  "Content-Type: text/plain; charset=utf-8",
  "Content-Transfer-Encoding: 8bit",
  "",
  "Schön, Ann:",
  "http://localhost:8000/verify-email?email=ann%40example.com&token=t",
  "--part",
  "Content-Type: text/html; charset=utf-8",
  "",
  "<p>Schön</p>",
  "--part--",
  "",
].join("\r\n");

Deno.test("parsing an email returns its decoded subject, its plain text and its links", () => {
  const link = "http://localhost:8000/verify-email?email=ann%40example.com&token=t";
  const subject = "Grüße aus Köln";
  deepStrictEqual(parseMail(MAIL), { to: "ann@example.com", subject, text: `Schön, Ann:\n${link}`, links: [link] });
});

Deno.test("waiting for an email returns each one once, and a timeout lists the emails that are there", async () => {
  const path = await Deno.makeTempDir();
  try {
    const folder = openMailFolder(path);
    const waiting = folder.next({ to: "ann@example.com", matching: /Schön/ });
    await Deno.writeTextFile(`${path}/1.eml`, MAIL);
    strictEqual((await waiting).subject, "Grüße aus Köln");
    await rejects(folder.next({ to: "ann@example.com", timeoutMilliseconds: 1 }), /ann@example.com: Grüße/);
    strictEqual((await folder.list()).length, 1);
  } finally {
    await Deno.remove(path, { recursive: true });
  }
});
