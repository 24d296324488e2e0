import { deepStrictEqual } from "node:assert/strict";
import { withFolder } from "../../tests/support/database/engines.ts";
import { createMailFolder } from "./mail_folder.ts";

Deno.test("the mail folder lists the emails written to it", async () => {
  await withFolder(async (folder) => {
    const mailFolder = createMailFolder({ directory: `${folder}/outbox`, from: "Foyer <x@localhost>", log() {} });
    deepStrictEqual(await mailFolder.listMails!(), []);
    const mail = { to: "ada@example.com", subject: "Grüße", text: "One\n\nhttp://x/y?z\n\nTwo\n", html: "<p>One</p>" };
    await mailFolder.send(mail, crypto.randomUUID());
    const [{ to, subject, text }] = await mailFolder.listMails!();
    deepStrictEqual({ to, subject, text }, { to: mail.to, subject: mail.subject, text: mail.text.trim() });
  });
});
