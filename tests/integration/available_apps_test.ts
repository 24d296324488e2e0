import { deepStrictEqual, doesNotMatch, strictEqual } from "node:assert/strict";
import { COMMAND_LINE as by } from "../../lib/activity/events.ts";
import { prepareGroups } from "../../lib/groups/group.ts";
import { setGroups } from "../../lib/groups/membership.ts";
import { type Registered, registerVerifiedUser } from "../support/app/accounts.ts";
import { client, openAuthorizationApp } from "../support/app/authorization.ts";
import { readPage } from "../support/app/page_reader.ts";

/** The apps that a person may open: on the dashboard, and in the API. */

const app = await openAuthorizationApp({}, [
  client("till", { client_uri: "https://till.example/start", groups: ["staff", "shop"] }),
  client("desk", { client_uri: "https://desk.example", groups: ["staff"] }),
  client("books", { client_name: "books", client_uri: "https://books.example" }),
  client("daemon", { groups: ["staff"] }),
]);
await prepareGroups(app.services);

async function personIn(groups: string[]): Promise<Registered> {
  const person = await registerVerifiedUser(app, `${crypto.randomUUID()}@example.com`);
  await setGroups(app.services, { userId: person.id, groups, by, reason: "a test" });
  return person;
}

const BOOKS = { name: "books", uri: "https://books.example", logo: null };
const DESK = { name: "The desk", uri: "https://desk.example", logo: null };
const TILL = { name: "The till", uri: "https://till.example/start", logo: null };

for (
  const { groups, apps } of [
    { groups: [], apps: [BOOKS] },
    { groups: ["shop"], apps: [BOOKS, TILL] },
    { groups: ["staff", "shop"], apps: [BOOKS, DESK, TILL] },
  ]
) {
  Deno.test(`someone in ${groups.join(" and ") || "no group"} may open ${apps.length} apps with an address`, async () => {
    const { client } = await personIn(groups);
    const response = await client.get("/api/account/apps?available=true");
    deepStrictEqual([response.status, await response.json()], [200, { data: apps }]);
    const page = await readPage(client.get("/dashboard"));
    deepStrictEqual(page.findAll(".people a").map((link) => link.getAttribute("href")), apps.map(({ uri }) => uri));
    deepStrictEqual(page.textsAt(".people .person-name"), apps.map(({ name }) => name));
  });
}

Deno.test("without the parameter, the list is that of the apps that may use the account", async () => {
  const { client } = await personIn(["staff"]);
  for (const query of ["", "?available=false"]) {
    deepStrictEqual(await (await client.get(`/api/account/apps${query}`)).json(), { data: [] });
  }
  strictEqual((await client.get("/api/account/apps?available=yes")).status, 400);
});

Deno.test("an app is gone from the list when the person leaves its group", async () => {
  const { client, id } = await personIn(["staff"]);
  await setGroups(app.services, { userId: id, groups: [], by, reason: "a test" });
  doesNotMatch((await readPage(client.get("/dashboard"))).text, /desk/);
});
