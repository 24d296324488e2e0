import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { MINUTE_SECONDS } from "../../lib/duration.ts";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { readPage } from "../support/app/page_reader.ts";
import { addPasskey } from "../support/app/passkeys.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp();
const EXPIRED = 15 * MINUTE_SECONDS + 1;
const METHODS = "/settings/sign-in-methods";

Deno.test("the proof page says what the proof is for, and leads back without it", async () => {
  const { client } = await registerVerifiedUser(app, "purpose@example.com");
  app.advance(EXPIRED);
  const cases: [page: string, purpose: string, cancelPath: string][] = [
    ["/settings/email", "Then you can change your email address.", "/profile"],
    [`${METHODS}/authenticator`, "Then you can set up an authenticator app.", METHODS],
    [`${METHODS}/authenticator/confirm`, "Then you can set up an authenticator app.", METHODS],
    [`${METHODS}/passkeys/add`, "Then you can add a passkey.", METHODS],
    ["/settings/tokens/new", "Then you can create an API token.", "/settings/tokens"],
    ["/settings/data/export", "Then you can download your data.", "/settings/data"],
    ["/close-account", "Then you can delete your account.", "/settings/data"],
  ];
  for (const [page, purpose, cancelPath] of cases) {
    const location = (await client.get(page)).headers.get("Location");
    strictEqual(location, `/reauthenticate?${new URLSearchParams({ next: page })}`);
    const proofPage = await readPage(client.get(location));
    deepStrictEqual([proofPage.heading, proofPage.lead], ["Confirm it’s you", purpose]);
    strictEqual(proofPage.link("Cancel").href, cancelPath, page);
    strictEqual((await client.get(cancelPath)).status, 200, "the way back needs no proof");
  }
});

Deno.test("the proof page names no purpose of a page that it does not know", async () => {
  const { client } = await registerVerifiedUser(app, "no-purpose@example.com");
  for (const path of ["/reauthenticate", "/reauthenticate?next=%2Fusers"]) {
    const page = await readPage(client.get(path));
    strictEqual(page.lead, "Then you can continue.");
    strictEqual(page.link("Cancel").href, "/dashboard");
  }
});

Deno.test("the proof page says for whom, and its password field has its button directly below", async () => {
  const { client } = await registerVerifiedUser(app, "whose@example.com", "Ada Lovelace");
  const page = await readPage(client.get("/reauthenticate?next=%2Fsettings%2Femail"));
  strictEqual(page.find("main [data-initials]")?.getAttribute("data-initials"), "AL");
  match(page.text, /Ada Lovelace whose@example\.com/);
  const { value, attribute } = page.field("username");
  deepStrictEqual([value, attribute("autocomplete")], ["whose@example.com", "username"]);
  ok(attribute("hidden") !== null);
  deepStrictEqual(page.focused, ["proof_password"]);
  ok(page.find('main .field:has(#proof_password) + button[type="submit"]'));
  strictEqual(
    page.link("Forgot your password?").href,
    "/forgot-password?email=whose%40example.com&next=%2Fsettings%2Femail",
  );
});

Deno.test("the proof page offers a passkey before the password", async () => {
  const { client } = await registerVerifiedUser(app, "passkey-first@example.com");
  await addPasskey(client);
  const page = await readPage(client.get("/reauthenticate"));
  const parts = page.findAll("main :is(button:not([aria-label]), .or, #proof_password)");
  const names = parts.map((part) => part.tagName === "INPUT" ? part.id : part.textContent);
  deepStrictEqual(names, ["Use a passkey", "or", "proof_password", "Continue"]);
});
