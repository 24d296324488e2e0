import { deepStrictEqual, match } from "node:assert/strict";
import { withFolder } from "../../../tests/support/database/engines.ts";
import { createMailFolder } from "./mail_folder.ts";

Deno.test("the mail folder lists the emails written to it", async () => {
  await withFolder(async (folder) => {
    const mailFolder = createMailFolder({ directory: `${folder}/outbox`, from: "Foyer <x@localhost>", log() {} });
    deepStrictEqual(await mailFolder.listMails!(), []);
    const mail = {
      to: "ada@example.com",
      subject: "Grüße",
      text: "One\n\nhttp://x/y?z\n\n--\n--abc\nTwo\n",
      html: "<p>One</p>\n\n<p>Two</p>",
    };
    await mailFolder.send(mail, crypto.randomUUID());
    const [{ name }] = Array.from(Deno.readDirSync(`${folder}/outbox`));
    match(await Deno.readTextFile(`${folder}/outbox/${name}`), /^Auto-Submitted: auto-generated\r$/m);
    const [{ storedAt: _, ...stored }] = await mailFolder.listMails!();
    deepStrictEqual(stored, { ...mail, text: mail.text.trim() });
  });
});
