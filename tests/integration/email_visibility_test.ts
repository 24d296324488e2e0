import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import { inviteUser } from "../../lib/accounts/invitation.ts";
import { mailedToken, PASSWORD, principalOf, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { html } from "../support/app/page_forms.ts";
import { readPage } from "../support/app/page_reader.ts";
import { openSharedTestApp, openTestApp, openTestInstanceWith, type TestApp } from "../support/app/test_app.ts";
import { type TestClient, withCookies } from "../support/app/test_client.ts";
import { startFalseProvider } from "../support/providers/false_provider.ts";
import { signedIn } from "../support/providers/idp.ts";

const provider = await startFalseProvider();
Deno.test.afterAll(() => provider[Symbol.asyncDispose]());
const app = await openSharedTestApp();

/** Returns the address of a user as the list and the user's own entry show it. */
async function shownTo(client: TestClient, id: string): Promise<[string, string]> {
  const { data: list } = await (await client.get("/api/users")).json();
  const { data: one } = await (await client.get(`/api/users/${id}`)).json();
  return [list.find((user: { id: string }) => user.id === id).email, one.email];
}

async function isVisible(client: TestClient): Promise<boolean> {
  return (await (await client.get("/api/account")).json()).data.emailVisible;
}

Deno.test("people hide their address from everyone but themselves, and show it again", async () => {
  const { client, id, email } = await registerVerifiedUser(app, "hiding@example.com");
  const other = await registerVerifiedUser(app, "curious@example.com");
  for (const [emailVisible, shown] of [[true, email], [false, ""], [true, email]] as const) {
    const response = await client.send("PUT", "/api/profile", { emailVisible });
    strictEqual(response.status, 200);
    strictEqual((await response.json()).user.email, email);
    strictEqual(await isVisible(client), emailVisible);
    deepStrictEqual(await shownTo(app.client(), id), [shown, shown]);
    deepStrictEqual(await shownTo(other.client, id), [shown, shown]);
    deepStrictEqual(await shownTo(client, id), [email, email]);
    strictEqual((await html(app.client(), `/users/${id}`)).includes(email), emailVisible);
    strictEqual((await html(other.client, `/users/${id}`)).includes(email), emailVisible);
  }
  deepStrictEqual(await shownTo(client, other.id), [other.email, other.email], "the choice is about one's own address");
  const { data: [event] } = await (await client.get("/api/account/events")).json();
  deepStrictEqual([event.kind, event.details], ["user.updated", { fields: ["emailVisible"] }]);
  match(await html(client, "/settings/activity"), /Profile changed: who sees your email address/);
  for (const emailVisible of ["false", null, 0]) {
    strictEqual((await client.send("PUT", "/api/profile", { emailVisible })).status, 400);
  }
  strictEqual(await isVisible(client), true);
});

Deno.test("a response depends on the viewer only where an address is hidden", async () => {
  const shown = await registerUser(app, "shown@example.com");
  const hidden = await registerUser(app, "hidden@example.com");
  await hidden.client.send("PUT", "/api/profile", { emailVisible: false });
  const cacheControl = async (id: string) =>
    (await shown.client.get(`/api/users/${id}`)).headers.get("Cache-Control") === "no-store";
  deepStrictEqual([await cacheControl(shown.id), await cacheControl(hidden.id)], [false, true]);
});

Deno.test("the profile says who sees the address, with a button that changes it", async () => {
  const { client, id, email } = await registerVerifiedUser(app, "preview@example.com");
  const profile = () => readPage(client.get("/profile"));
  const press = (emailVisible: string) => client.submit("/profile", { user_id: id, emailVisible });

  const open = await profile();
  match(open.textAt(".card.person")!, /preview@example\.com .*Anyone can see this address\./);
  deepStrictEqual(open.button("Hide my email address").value, "false");
  match(await html(client, "/dashboard"), /Anyone can see this address\./);

  const hidden = await press("false");
  deepStrictEqual([hidden.status, hidden.headers.get("Location")], [303, "/profile"]);
  deepStrictEqual(await shownTo(app.client(), id), ["", ""]);
  const closed = await profile();
  strictEqual(closed.notice, "Your email address is hidden. Other people can no longer see it.");
  doesNotMatch(closed.textAt(".card.person")!, new RegExp(email));
  strictEqual(closed.button("Show my email address").value, "true");
  doesNotMatch(await html(client, "/dashboard"), /Anyone can see/);

  await press("true");
  deepStrictEqual(await shownTo(app.client(), id), [email, email]);
  strictEqual((await profile()).notice, "Others can see your email address now.");
  strictEqual((await press("maybe")).status, 400);
  strictEqual((await client.submit("/profile", { user_id: "someone else", emailVisible: "false" })).status, 403);
  deepStrictEqual(await shownTo(app.client(), id), [email, email]);
});

Deno.test("the registration form asks whether others may see the address", async () => {
  const form = await readPage(app.client().get("/register"));
  match(form.text, /Show my email on my profile, where anyone can see it/);
  strictEqual(form.field("emailVisible").isChecked, false, "whoever does not choose shows nothing");

  for (const fields of [{ emailVisible: "on" }, {}] as Record<string, string>[]) {
    const isChosen = "emailVisible" in fields;
    const refused = await app.client().submit("/register", { name: "Ada", email: "", password: "x", ...fields });
    strictEqual(refused.status, 400);
    strictEqual((await readPage(refused)).field("emailVisible").isChecked, isChosen, "the choice is kept");
    const client = app.client();
    const email = `chosen-${isChosen}@example.com`;
    const response = await client.submit("/register", { name: "Ada", email, password: PASSWORD, ...fields });
    strictEqual(response.status, 303);
    strictEqual(await isVisible(client), isChosen);
  }
});

/** The ways in which people who are not asked get an account, each with a client that is logged in to a new one. */
const UNASKED: Record<string, (at: TestApp) => Promise<TestClient>> = {
  "the API": async (at) => (await registerUser(at, "api@example.com")).client,
  "an invitation": async (at) => {
    const host = await registerVerifiedUser(at, "host@example.com");
    const email = "guest@example.com";
    await inviteUser(at.services, await principalOf(at, host.client), { name: "Guest", email });
    const client = at.client();
    await client.send("POST", "/auth/reset-password", {
      email,
      token: await mailedToken(at, email),
      password: PASSWORD,
    });
    return client;
  },
  "a provider": async (at) => {
    const person = { sub: "new", email: "new@example.com", email_verified: true, name: "New" };
    return (await signedIn(at, provider, person)).client;
  },
};

Deno.test("the address of people who are not asked is as public as PUBLIC_USER_EMAILS says", async () => {
  for (const isPublic of [true, false]) {
    await using at = await openTestApp({ ...provider.env, PUBLIC_USER_EMAILS: String(isPublic) });
    for (const [way, signUp] of Object.entries(UNASKED)) strictEqual(await isVisible(await signUp(at)), isPublic, way);
  }
});

Deno.test("with PUBLIC_USER_EMAILS=false no address is public, and no one is asked", async () => {
  await using discreet = await openTestInstanceWith(app, { publicUserEmails: false });
  const { client: registered, id, email } = await registerVerifiedUser(app, "discreet@example.com");
  const client = withCookies(discreet.client(), registered);
  strictEqual((await client.send("PUT", "/api/profile", { emailVisible: true })).status, 200);
  const other = withCookies(discreet.client(), (await registerUser(app, "other@example.com")).client);
  for (const viewer of [discreet.client(), other]) deepStrictEqual(await shownTo(viewer, id), ["", ""]);
  deepStrictEqual(await shownTo(client, id), [email, email]);
  strictEqual((await client.get("/api/users")).headers.get("Cache-Control"), "no-store");
  doesNotMatch(await html(discreet.client(), "/register"), /emailVisible/);
  doesNotMatch(await html(client, "/profile"), /emailVisible|Anyone can see/);
  doesNotMatch(await html(client, "/dashboard"), /Anyone can see/);
});
