import { match, ok } from "node:assert/strict";
import { prepareSigningKeys } from "../../lib/access/signing_keys.ts";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { keepPresent, openTestApp } from "../support/app/test_app.ts";
import { logInWithPassword } from "../support/apps/apps_world.ts";
import { documentOf, startDocumentHost } from "../support/apps/document_host.ts";
import { sharedBrowser, withPage } from "../support/browser/browser.ts";
import { freePort } from "../support/processes/free_port.ts";
import { openGuide, untilListening } from "../support/processes/guide.ts";
import { waitFor } from "../support/wait_for.ts";

const DOCUMENT = "docs/mcp.md";
const ports = { 8000: freePort(), 4000: freePort() };
const issuer = `http://localhost:${ports[8000]}`;
const guide = await openGuide("A protected server", ports, DOCUMENT);
match(guide.commands[0], /^CLIENTS_FILE=clients\.json CLIENT_METADATA_DOCUMENTS=on /);
const app = await openTestApp({
  BASE_URL: issuer,
  CLIENTS_FILE: `${guide.folder}/clients.json`,
  CLIENT_METADATA_DOCUMENTS: "on",
  CLIENT_METADATA_ALLOW_PRIVATE: "true", // the document of this test is on this machine
}, { port: ports[8000] });
keepPresent(app);
await prepareSigningKeys(app.services);
const host = startDocumentHost();
const browser = await sharedBrowser();
guide.start(guide.commands[2]);
Deno.test.afterAll(async () => {
  await browser.close();
  await app[Symbol.asyncDispose]();
  await guide[Symbol.asyncDispose]();
  await host[Symbol.asyncDispose]();
});
const document = host.url("agent.json");
host.answer = (id) => Response.json(documentOf(id, { redirect_uris: ["http://127.0.0.1/callback"] }));

for (
  const [kind, clientId, heading] of [
    ["registered", "my-agent", "Log in to My agent?"],
    ["by document", document, `Log in to ${new URL(document).host}?`],
  ]
) {
  Deno.test(`${DOCUMENT}: an agent uses a protected server (${kind})`, async () => {
    await untilListening(ports[4000]);
    const person = await registerVerifiedUser(app, `${crypto.randomUUID()}@example.com`);
    const printed = `${guide.folder}/${crypto.randomUUID()}.txt`;
    guide.start(`${guide.commands[3].trim()} ${clientId} > ${printed}`);
    const find = (pattern: RegExp) => async () => pattern.exec(await Deno.readTextFile(printed).catch(() => ""));
    const [, address] = await waitFor("the address", find(/^Open (\S+)$/m));
    ok(address.startsWith(`${issuer}/oauth/authorize?`));
    await withPage(browser, async (page) => {
      await page.goto(address);
      await logInWithPassword(page, person);
      await page.getByRole("heading", { name: heading }).waitFor();
      await page.getByRole("button", { name: "Allow" }).click();
      await page.getByText("You can close this page.").waitFor();
    });
    await waitFor("the notes", find(new RegExp(`^The notes of ${person.id}$`, "m")));
  });
}
