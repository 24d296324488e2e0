import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { MINUTE_SECONDS } from "../../lib/duration.ts";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { html } from "../support/app/page_forms.ts";
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
    const proofPage = await html(client, location);
    ok(proofPage.includes(`<h1>Confirm it’s you</h1><p class="lead">${purpose}</p>`), page);
    ok(proofPage.includes(`<a href="${cancelPath}">Cancel</a>`), page);
    strictEqual((await client.get(cancelPath)).status, 200, "the way back needs no proof");
  }
});

Deno.test("the proof page names no purpose of a page that it does not know", async () => {
  const { client } = await registerVerifiedUser(app, "no-purpose@example.com");
  for (const path of ["/reauthenticate", "/reauthenticate?next=%2Fusers"]) {
    const proofPage = await html(client, path);
    match(proofPage, /<p class="lead">Then you can continue\.<\/p>/);
    match(proofPage, /<a href="\/dashboard">Cancel<\/a>/);
  }
});

Deno.test("the proof page says for whom, and its password field has its button directly below", async () => {
  const { client } = await registerVerifiedUser(app, "whose@example.com", "Ada Lovelace");
  const page = await html(client, "/reauthenticate?next=%2Fsettings%2Femail");
  const main = page.slice(page.indexOf("<main"));
  match(main, /class="avatar"[^>]*>AL<.*<bdi class="person-name">Ada Lovelace<\/bdi>.*whose@example\.com/);
  const username = main.match(/<input[^>]* name="username"[^>]*>/)![0];
  for (const attribute of ['autocomplete="username"', 'value="whose@example.com"', "hidden"]) {
    ok(username.includes(attribute), `${attribute}: ${username}`);
  }
  match(main, /<input[^>]* autofocus[^>]* id="proof_password"/);
  match(
    main,
    /aria-label="Show password"[^>]*>Show<\/button>(<script[^>]*><\/script>)?<\/div><\/div><button type="submit"/,
  );
  const forgot = /<a href="([^"]*)">Forgot your password\?<\/a>/.exec(main)![1].replaceAll("&amp;", "&");
  strictEqual(forgot, "/forgot-password?email=whose%40example.com&next=%2Fsettings%2Femail");
});

Deno.test("the proof page offers a passkey before the password", async () => {
  const { client } = await registerVerifiedUser(app, "passkey-first@example.com");
  await addPasskey(client);
  const page = await html(client, "/reauthenticate");
  const parts = ["Use a passkey</button>", '<p class="or">or</p>', 'id="proof_password"', ">Continue</button>"];
  const places = parts.map((part) => page.indexOf(part));
  ok(places.every((place) => place > 0), String(places));
  deepStrictEqual(places, places.toSorted((a, b) => a - b));
});
