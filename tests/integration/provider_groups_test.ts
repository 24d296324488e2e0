import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { COMMAND_LINE as by } from "../../lib/activity/events.ts";
import { DAY_SECONDS } from "../../lib/duration.ts";
import { prepareGroups, saveGroup } from "../../lib/groups/group.ts";
import { groupNamesOf, listGroupsOf, setGroups } from "../../lib/groups/membership.ts";
import { logIn, registerVerifiedUser } from "../support/app/accounts.ts";
import { startFalseProvider } from "../support/providers/false_provider.ts";
import { signedIn } from "../support/providers/idp.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";

/** Groups that an identity provider names. */

const MANY = Array.from({ length: 60 }, (_, number) => `many-${String(number).padStart(2, "0")}`);
const provider = await startFalseProvider();
Deno.test.afterAll(() => provider[Symbol.asyncDispose]());
const app = await openSharedTestApp({
  ...provider.env,
  LOGIN_MAX_ATTEMPTS: "0",
  IDP_GROUPS: `6f1e:staff Wiki%20Editors:editors ${MANY.map((name) => `${name}:${name}`).join(" ")}`,
  IDP_GROUPS_DAYS: "10",
});
const { db, now } = app.services;
await prepareGroups(app.services);
await saveGroup(app.services, { name: "choir", title: "Choir", by });

let people = 0;

/** Someone at the provider, whose groups a test changes. */
function newPerson() {
  const sub = `person-${people++}`;
  const described = { sub, email: `${sub}@contoso.example`, email_verified: true, name: "Ada" };
  return {
    email: described.email,
    async logIn(groups?: unknown) {
      const { user, client } = await signedIn(app, provider, { ...described, ...groups !== undefined && { groups } });
      return { id: user.id as string, client };
    },
    described,
  };
}

const groupsOf = (id: string) => groupNamesOf(db, { userId: id, now: now() });

async function groupEvents(client: TestClient): Promise<string[]> {
  const { data } = await (await client.get("/api/account/events")).json();
  return data.filter(({ kind }: { kind: string }) => kind.startsWith("group."))
    .map(({ kind, details }: { kind: string; details: Record<string, string> }) =>
      `${kind} ${details.group} ${details.source}`
    );
}

Deno.test("each login makes the groups of a person what the provider says, and tells them", async () => {
  const person = newPerson();
  const { id } = await person.logIn(["6f1e", "Wiki Editors", "not mapped"]);
  deepStrictEqual(await listGroupsOf(db, { userId: id, now: now() }), [
    { name: "editors", title: "editors", sources: ["provider:default"] },
    { name: "staff", title: "staff", sources: ["provider:default"] },
  ]);
  const { client } = await person.logIn(["6f1e"]);
  deepStrictEqual(await groupsOf(id), ["staff"]);
  deepStrictEqual((await groupEvents(client)).sort(), [
    "group.joined editors provider:default",
    "group.joined staff provider:default",
    "group.left editors provider:default",
  ]);
});

Deno.test("what an admin says stays, whatever a provider says", async () => {
  const person = newPerson();
  const { id } = await person.logIn(["6f1e"]);
  await setGroups(app.services, { userId: id, groups: ["staff", "choir"], by, reason: "a test" });
  await person.logIn([]);
  deepStrictEqual(await groupsOf(id), ["choir", "staff"]);
});

Deno.test("a membership that the provider does not repeat in time ends", async () => {
  const person = newPerson();
  const { id } = await person.logIn(["6f1e"]);
  app.advance(6 * DAY_SECONDS);
  await person.logIn(["6f1e"]);
  app.advance(6 * DAY_SECONDS);
  deepStrictEqual(await groupsOf(id), ["staff"]);
  app.advance(4 * DAY_SECONDS);
  deepStrictEqual(await groupsOf(id), []);
});

Deno.test("a login is never refused for too many groups: the first 50 by name count", async () => {
  const person = newPerson();
  const { id } = await person.logIn(MANY);
  deepStrictEqual(await groupsOf(id), MANY.slice(0, 50));
  await setGroups(app.services, { userId: id, groups: [], by, reason: "a test" });
  const other = newPerson();
  const { id: otherId } = await other.logIn([]);
  await setGroups(app.services, { userId: otherId, groups: ["choir", MANY[59]], by, reason: "a test" });
  await other.logIn(MANY);
  deepStrictEqual(await groupsOf(otherId), ["choir", ...MANY.slice(0, 48), MANY[59]]);
});

Deno.test("unlinking the provider ends what it has said", async () => {
  const { client, id, email } = await registerVerifiedUser(app, "unlink@contoso.example");
  const described = { sub: "unlink", email, email_verified: true, name: "Ada", groups: ["6f1e"] };
  await signedIn(app, provider, described);
  deepStrictEqual(await groupsOf(id), ["staff"]);
  await logIn(client, email);
  const { data: [identity] } = await (await client.get("/api/account/identities")).json();
  const response = await client.request(`/api/account/identities/${identity.id}`, { method: "DELETE" });
  strictEqual(response.status, 204);
  deepStrictEqual(await groupsOf(id), []);
  strictEqual((await groupEvents(client))[0], "group.left staff provider:default");
});

Deno.test("a link in the settings counts as a login", async () => {
  const { client, id } = await registerVerifiedUser(app, "links@example.com");
  provider.userinfo = { ...newPerson().described, groups: ["Wiki Editors"] };
  const { url } = await (await client.send("POST", "/api/account/identities", { provider: "default" })).json();
  const { pathname, search } = provider.consent(url);
  const location = new URL((await client.get(pathname + search)).headers.get("Location")!, "http://foyer.test");
  deepStrictEqual(await groupsOf(id), [], "before the person has confirmed it");
  await client.submit(location.pathname, { token: location.searchParams.get("token")! });
  deepStrictEqual(await groupsOf(id), ["editors"]);
});
