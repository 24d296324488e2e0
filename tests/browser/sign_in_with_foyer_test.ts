import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { prepareSigningKeys } from "../../lib/access/signing_keys.ts";
import { mailsTo, PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { keepPresent, openTestApp } from "../support/app/test_app.ts";
import { assertLoggedOut, logInAtFoyer } from "../support/apps/apps_world.ts";
import { sharedBrowser, withPage } from "../support/browser/browser.ts";
import { freePort } from "../support/processes/free_port.ts";
import { openGuide, untilListening } from "../support/processes/guide.ts";
import { waitFor } from "../support/wait_for.ts";

const DOCUMENT = "docs/sign-in-with-foyer.md";
const NAME = "Ada & <Lovelace>";

/** The ports of the document, and those of this test. */
const ports = { 8000: freePort(), 3000: freePort() };
const [issuer, product] = [ports[8000], ports[3000]].map((port) => `http://localhost:${port}`);
const start = await openGuide("Before you start", ports, DOCUMENT);
match(start.commands[0], /^CLIENTS_FILE=clients\.json LOGIN_COUNTS=failures /);
const app = await openTestApp(
  { BASE_URL: issuer, CLIENTS_FILE: `${start.folder}/clients.json`, LOGIN_COUNTS: "failures" },
  { port: ports[8000] },
);
keepPresent(app);
await prepareSigningKeys(app.services);
const browser = await sharedBrowser();
Deno.test.afterAll(async () => {
  await browser.close();
  await app[Symbol.asyncDispose]();
  await start[Symbol.asyncDispose]();
});
const person = await registerVerifiedUser(app, "ada@example.com", NAME);

Deno.test(`${DOCUMENT}: a product with a server signs people in, refreshes and logs out`, async () => {
  await using guide = await openGuide("A product with a server", ports, DOCUMENT);
  match(guide.commands[0], /npm install openid-client@6\.9\.0\n/);
  const file = `${guide.folder}/product.mjs`;
  const source = await Deno.readTextFile(file);
  ok(source.includes("expiresIn() < 30"));
  await Deno.writeTextFile(file, source.replace("expiresIn() < 30", "expiresIn() < 3000")); // every page refreshes
  guide.start(guide.commands[1]);
  await untilListening(ports[3000]);
  await withPage(browser, async (page) => {
    await page.goto(product);
    await page.getByRole("heading", { name: "Hello, guest" }).waitFor();
    await page.getByRole("link", { name: "Log in" }).click();
    await logInAtFoyer(page, person);
    for (const _refresh of ["first", "second"]) {
      await page.getByRole("heading", { name: `Hello, ${NAME}` }).waitFor();
      await page.getByText(`Your id is ${person.id}.`).waitFor();
      await page.goto(`${product}/`);
    }
    await page.getByRole("button", { name: "Log out of everything" }).click();
    await page.getByRole("heading", { name: "Hello, guest" }).waitFor();
    strictEqual(page.url(), `${product}/`);
    await assertLoggedOut(page, { issuer });
  });
});

Deno.test(`${DOCUMENT}: a command line logs in with a code`, async () => {
  await using guide = await openGuide("A command line that logs in", ports, DOCUMENT);
  const printed = `${guide.folder}/printed.txt`;
  guide.start(`${guide.commands[1].trim()} > ${printed}`);
  const find = (pattern: RegExp) => async () => pattern.exec(await Deno.readTextFile(printed).catch(() => ""));
  const [, address, code] = await waitFor("the code", find(/^Open (\S+) and enter the code (\S+)$/m));
  await withPage(browser, async (page) => {
    await page.goto(address);
    await page.getByLabel("Email address").fill(person.email);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByLabel("Code").fill(code);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("heading", { name: "Connect My command line?" }).waitFor();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByRole("heading", { name: "Return to your device" }).waitFor();
  });
  await waitFor("the name", find(new RegExp(`^Hello, ${NAME}$`, "m")));
});

Deno.test(`${DOCUMENT}: a service invites people, once, and reads their addresses`, async () => {
  await using guide = await openGuide("A service that invites people", ports, DOCUMENT);
  match(guide.commands[0], /npm install openid-client@6\.9\.0\n/);
  for (const _run of ["first", "repeated"]) {
    const [invited, ...people] = (await guide.run(guide.commands[1])).trim().split("\n");
    strictEqual(invited, "Invited Grace Hopper");
    // The clock stands still, so neither is the newer one.
    deepStrictEqual(people.toSorted(), [
      `${NAME} <${person.email}>`,
      "Grace Hopper <grace@example.com>, not confirmed",
    ]);
  }
  const mails = await mailsTo(app, "grace@example.com");
  strictEqual(mails.length, 1);
  match(mails[0].text, /My service/);
});

Deno.test(`${DOCUMENT}: a single-page app signs people in and logs out`, async () => {
  await using guide = await openGuide("A single-page app", ports, DOCUMENT);
  match(guide.commands[0], /npm install oidc-client-ts@3\.5\.0\n/);
  guide.start(guide.commands[1]);
  await untilListening(ports[3000]);
  await withPage(browser, async (page) => {
    await page.goto(product);
    await page.getByRole("heading", { name: "Hello, guest" }).waitFor();
    await page.getByRole("button", { name: "Log in" }).click();
    await logInAtFoyer(page, person);
    await page.getByRole("heading", { name: `Hello, ${NAME}` }).waitFor();
    strictEqual(page.url(), `${product}/`);
    await page.reload();
    await page.getByRole("heading", { name: `Hello, ${NAME}` }).waitFor();
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByRole("heading", { name: "Hello, guest" }).waitFor();
    await assertLoggedOut(page, { issuer });
  });
});
