import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { decodeJwt } from "jose";
import { COMMAND_LINE as by } from "../../lib/activity/events.ts";
import { listGroups, prepareGroups, saveGroup } from "../../lib/groups/group.ts";
import { setGroups } from "../../lib/groups/membership.ts";
import { type Registered, registerVerifiedUser } from "../support/app/accounts.ts";
import {
  client,
  connect,
  exchange,
  giveCode,
  openAuthorizationApp,
  REDIRECT_URI,
  refresh,
  tokensIn,
} from "../support/app/authorization.ts";
import { answerTo, authorizePath, movedAnswer, openPage, press } from "../support/app/authorize_page.ts";
import { Page } from "../support/app/page_reader.ts";

/** Which apps, resources and products are open to whom, by groups. */

const PLANS = "https://plans.example";
const app = await openAuthorizationApp({ LOGIN_MAX_ATTEMPTS: "0", TOKEN_AUDIENCES: PLANS }, [
  client("desk", { groups: ["staff", "ops"], scope: "openid groups" }),
  client("planner", { resources: [PLANS], scope: "openid groups plans:read" }),
], [{ resource: PLANS, name: "Plans", scopes: { "plans:read": "See plans" }, claims: ["groups"], groups: ["staff"] }]);
await prepareGroups(app.services);
await saveGroup(app.services, { name: "choir", title: "Choir", by });

async function personIn(groups: string[]): Promise<Registered> {
  const person = await registerVerifiedUser(app, `${crypto.randomUUID()}@example.com`);
  await moveTo(person, groups);
  return person;
}

const moveTo = ({ id }: Registered, groups: string[]) =>
  setGroups(app.services, { userId: id, groups, by, reason: "a test" });

Deno.test("the start creates the groups that CLIENTS_FILE names, and keeps their titles", async () => {
  await saveGroup(app.services, { name: "ops", title: "Operations", by });
  await prepareGroups(app.services);
  const groups = await listGroups(app.services.db, app.services.now());
  deepStrictEqual(groups.map(({ name, title }) => [name, title]), [
    ["choir", "Choir"],
    ["ops", "Operations"],
    ["staff", "staff"],
  ]);
});

for (
  const { clientId, groups, resource, isOpen } of [
    { clientId: "desk", groups: [], isOpen: false },
    { clientId: "desk", groups: ["choir"], isOpen: false },
    { clientId: "desk", groups: ["choir", "ops"], isOpen: true },
    { clientId: "phone", groups: [], isOpen: true },
    { clientId: "planner", groups: ["ops"], isOpen: true },
    { clientId: "planner", groups: ["ops"], resource: PLANS, isOpen: false },
    { clientId: "planner", groups: ["staff"], resource: PLANS, isOpen: true },
  ]
) {
  const name = `${clientId}${resource === undefined ? "" : " with a resource"}, to a person in ${
    groups.join(", ") || "no group"
  }`;
  Deno.test(`${name}, is ${isOpen ? "open" : "closed"}`, async () => {
    const { client: person } = await personIn(groups);
    const path = authorizePath(clientId, { resource });
    const response = await person.get(path);
    strictEqual(response.status, isOpen ? 200 : 403);
    const page = new Page(await response.text());
    strictEqual(page.title.startsWith(isOpen ? "Log in to " : "You can’t open "), true, page.title);
    const silent = answerTo(await person.get(authorizePath(clientId, { resource, prompt: "none" })));
    strictEqual(silent.error, isOpen ? "consent_required" : "interaction_required");
  });
}

Deno.test("the page of a closed app leads back to it, or to another account", async () => {
  const { client: person } = await personIn([]);
  const page = await (await person.get(authorizePath("desk"))).text();
  const answer = await movedAnswer(await press(app, person, page, "cancel"), REDIRECT_URI);
  strictEqual(answer.error, "access_denied");
  const response = await press(app, person, page, "other");
  match(response.headers.get("Location")!, /^\/login\?prompt=select_account&next=/);
});

Deno.test("someone who leaves the group while the consent page is open gets no code", async () => {
  const person = await personIn(["staff"]);
  const page = await openPage(person.client, authorizePath("desk"));
  await moveTo(person, []);
  const response = await press(app, person.client, page, "allow");
  strictEqual((await person.client.get(response.headers.get("Location")!)).status, 403);
});

Deno.test("a code is worth nothing to someone who has left the group", async () => {
  const person = await personIn(["staff"]);
  const code = await giveCode(app, person.client, "desk");
  await moveTo(person, ["choir"]);
  const response = await exchange(app, code);
  deepStrictEqual([response.status, (await response.json()).error], [400, "invalid_grant"]);
});

Deno.test("tokens stop working when their person leaves the group, and work again when they return", async () => {
  const person = await personIn(["staff"]);
  const tokens = await connect(app, person.client, "desk");
  const userinfo = async () => {
    const headers = { Authorization: `Bearer ${tokens.access_token}` };
    return (await app.client().get("/oauth/userinfo", headers)).status;
  };
  strictEqual(await userinfo(), 200);
  await moveTo(person, []);
  strictEqual(await userinfo(), 401);
  strictEqual((await (await refresh(app, "desk", tokens.refresh_token!)).json()).error, "invalid_grant");
  await moveTo(person, ["ops"]);
  strictEqual(await userinfo(), 200);
  await tokensIn(refresh(app, "desk", tokens.refresh_token!));
});

Deno.test("an app with groups of its own learns of no other, and any other app of all", async () => {
  const person = await personIn(["staff", "choir", "ops"]);
  const groupsAt = async (clientId: string) => {
    const { id_token: token, access_token } = await connect(app, person.client, clientId, {
      scopes: ["openid", "groups"],
    });
    const headers = { Authorization: `Bearer ${access_token}` };
    const userinfo = await (await app.client().get("/oauth/userinfo", headers)).json();
    return [decodeJwt(token!).groups, userinfo.groups];
  };
  deepStrictEqual(await groupsAt("desk"), [["ops", "staff"], ["ops", "staff"]]);
  deepStrictEqual(await groupsAt("planner"), [["choir", "ops", "staff"], ["choir", "ops", "staff"]]);
});

Deno.test("no claim says groups without the scope", async () => {
  const person = await personIn(["staff"]);
  strictEqual(
    "groups" in decodeJwt((await connect(app, person.client, "desk", { scopes: ["openid"] })).id_token!),
    false,
  );
});

Deno.test("an access token has groups if its resource asks for them", async () => {
  const person = await personIn(["staff"]);
  const { access_token } = await connect(app, person.client, "planner", { scopes: ["plans:read"], resource: PLANS });
  deepStrictEqual(decodeJwt(access_token).groups, ["staff"]);
});

Deno.test("a page gets a token for a resource only for its members, with their groups", async () => {
  const tokenOf = async (groups: string[]) => {
    const { client } = await personIn(groups);
    const response = await client.send("POST", "/auth/token", { audience: PLANS });
    return { status: response.status, ...await response.json() };
  };
  deepStrictEqual(decodeJwt((await tokenOf(["staff", "choir"])).accessToken).groups, ["choir", "staff"]);
  const refused = await tokenOf(["choir"]);
  deepStrictEqual([refused.status, refused.code], [403, "FORBIDDEN"]);
});

Deno.test("the check names the groups of a person, also none", async () => {
  const groups = async ({ client }: Registered) => (await client.get("/auth/check")).headers.get("X-Foyer-User-Groups");
  strictEqual(await groups(await personIn(["staff", "choir"])), "choir,staff");
  strictEqual(await groups(await personIn([])), "");
});

Deno.test("fifty groups of the longest names fit into a header, and into a claim", async () => {
  const longest = Array.from({ length: 50 }, (_, number) => String(number).padEnd(40, "x")).sort();
  for (const name of longest) await saveGroup(app.services, { name, title: name, by });
  const person = await personIn(longest);
  const header = (await person.client.get("/auth/check")).headers.get("X-Foyer-User-Groups")!;
  deepStrictEqual(header.split(","), longest);
  ok(header.length < 2_100, `${header.length}`);
  const { id_token } = await connect(app, person.client, "planner", { scopes: ["openid", "groups"] });
  const { groups } = decodeJwt(id_token);
  deepStrictEqual(groups, longest);
  ok(JSON.stringify(groups).length < 2_200);
});

Deno.test("the check for groups lets their members in, and no one else", async () => {
  const [member, other] = [await personIn(["staff"]), await personIn(["choir"])];
  const check = async ({ client }: Pick<Registered, "client">, query: string, headers: HeadersInit = {}) =>
    (await client.get(`/auth/check?${query}`, headers)).status;
  strictEqual(await check(member, "group=ops,staff"), 204);
  strictEqual(await check(other, "group=ops,staff"), 403);
  strictEqual(await check(other, "group=ops,staff&login=redirect"), 403, "logging in changes nothing");
  strictEqual(await check({ client: app.client() }, "group=staff"), 401);
  for (const query of ["group=", "group=unknown", "group=%00", `group=${"x".repeat(900)}`, "group=STAFF"]) {
    strictEqual(await check(member, query), 403, query);
  }
});

Deno.test("a person who opens a product of another group reads why it is closed", async () => {
  const { client: person } = await personIn([]);
  const navigation = { "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document", Accept: "text/html" };
  const response = await person.get("/auth/check?group=staff", navigation);
  strictEqual(response.status, 403);
  strictEqual(new Page(await response.text()).title, "This is for members only · Foyer");
});
