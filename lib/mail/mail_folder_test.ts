import { deepStrictEqual } from "node:assert/strict";
import { withFolder } from "../../tests/support/engines.ts";
import { createDevelopmentOutbox } from "./mail_folder.ts";

Deno.test("the outbox reads back what it has written", async () => {
  await withFolder(async (folder) => {
    const outbox = createDevelopmentOutbox({ directory: `${folder}/outbox`, from: "Foyer <x@localhost>", log() {} });
    deepStrictEqual(await outbox.kept!(), []);
    const mail = { to: "ada@example.com", subject: "Grüße", text: "One\n\nhttp://x/y?z\n\nTwo\n", html: "<p>One</p>" };
    await outbox.send(mail, crypto.randomUUID());
    const [{ to, subject, text }] = await outbox.kept!();
    deepStrictEqual({ to, subject, text }, { to: mail.to, subject: mail.subject, text: mail.text.trim() });
  });
});
