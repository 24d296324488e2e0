import { deepStrictEqual, match } from "node:assert/strict";
import { createLog } from "../log.ts";
import { openMailFolder } from "../../tests/support/mail_folder.ts";
import { createDevelopmentOutbox } from "./development_outbox.ts";

Deno.test("a mail becomes one complete file; sent again it stays one", async () => {
  const parent = await Deno.makeTempDir();
  try {
    const directory = `${parent}/outbox`;
    const lines: string[] = [];
    const outbox = createDevelopmentOutbox({
      directory,
      from: "Foyer <a@foyer.test>",
      log: createLog((line) => lines.push(line)),
    });
    const mail = {
      to: "b@example.com",
      subject: "Grüße",
      html: "<p>ü</p>",
      text: "Hello\n\nhttp://foyer.test/verify-email?token=abc\n",
    };
    await outbox.send(mail, "id-1");
    await outbox.send(mail, "id-1");
    deepStrictEqual(await Array.fromAsync(Deno.readDir(directory), ({ name }) => name), ["id-1.eml"]);
    const [received] = await openMailFolder(directory).list();
    deepStrictEqual(received, {
      to: "b@example.com",
      subject: "Grüße",
      text: "Hello\n\nhttp://foyer.test/verify-email?token=abc\n",
      links: ["http://foyer.test/verify-email?token=abc"],
    });
    match(await Deno.readTextFile(`${directory}/id-1.eml`), /^From: Foyer <a@foyer.test>\r\nTo: b@example.com\r\n/);
    match(lines[0], /id-1\.eml/);
  } finally {
    await Deno.remove(parent, { recursive: true });
  }
});
