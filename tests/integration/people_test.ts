import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import { type Registered, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { createToken } from "../support/app/api_tokens.ts";
import { html } from "../support/app/page_forms.ts";
import { readPage } from "../support/app/page_reader.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";
import type { Config } from "../../lib/config/config.ts";
import type { Scope } from "../../lib/schemas/scopes.ts";

const app = await openSharedTestApp();
const unconfirmed = await registerUser(app, "unconfirmed@example.com");
const member = await registerVerifiedUser(app, "member@example.com");
const suspended = await registerVerifiedUser(app, "suspended@example.com");
const admin = await registerVerifiedUser(app, "admin@example.com");
await app.services.db.updateTable("users").set({ role: "admin" }).where("id", "=", admin.id).execute();
await app.services.db.updateTable("users").set({ suspended_at: app.services.now() }).where("id", "=", suspended.id)
  .execute();

const CONFIRMED = [admin.id, member.id].sort();
const EVERYONE = [...CONFIRMED, unconfirmed.id].sort();

/** Who asks: how a client sends its requests, and whose own page it has. */
interface Viewer {
  client: TestClient;
  headers?: Record<string, string>;
  /** The account that logs in, or undefined for guests and programs. */
  person?: Registered;
}

const withToken = async ({ client }: Registered, scopes: Scope[]) => ({
  client: app.client(),
  headers: { ...(await createToken(client, { scopes })).headers },
});

const VIEWERS = {
  "a guest": { client: app.client() },
  "an unconfirmed member": { client: unconfirmed.client, person: unconfirmed },
  "a member": { client: member.client, person: member },
  "a token with users:read": await withToken(member, ["users:read"]),
  "a token without users:read": await withToken(member, ["profile:read"]),
  "an admin": { client: admin.client, person: admin },
  "an admin's token with users:read": await withToken(admin, ["users:read"]),
  "an admin's token with users:read and admin": await withToken(admin, ["users:read", "admin"]),
  "a suspended member": { client: suspended.client },
} satisfies Record<string, Viewer>;

/** Whom a viewer sees, or the status of the refusal. */
type Seen = string[] | 401 | 403 | 404;

const TABLE: Record<Config["people"], Record<keyof typeof VIEWERS, Seen>> = {
  all: { ...each(EVERYONE), "a token without users:read": 403 },
  verified: { ...each(CONFIRMED), "a token without users:read": 403 },
  members: {
    ...each(CONFIRMED),
    "a guest": 401,
    "a suspended member": 401,
    "a token without users:read": 403,
  },
  off: {
    ...each(404),
    "an admin": EVERYONE,
    "an admin's token with users:read and admin": EVERYONE,
    "a token without users:read": 403,
  },
};

function each(seen: Seen): Record<keyof typeof VIEWERS, Seen> {
  return Object.fromEntries(Object.keys(VIEWERS).map((name) => [name, seen])) as Record<keyof typeof VIEWERS, Seen>;
}

for (const [people, seenBy] of Object.entries(TABLE)) {
  Deno.test(`PEOPLE=${people} decides who is seen, in the API and on pages`, async () => {
    app.services.config.people = people as Config["people"];
    for (const [name, seen] of Object.entries(seenBy)) {
      const { client, headers = {}, person }: Viewer = VIEWERS[name as keyof typeof VIEWERS];
      const get = (path: string) => client.get(path, headers);
      const statusOf = async (path: string) => (await get(path)).status;
      const apiStatus = (id: string) => Array.isArray(seen) ? seen.includes(id) ? 200 : 404 : seen;

      const list = await get("/api/users");
      const { data, code } = await list.json();
      const listed = list.status === 200 ? data.map(({ id }: { id: string }) => id).sort() : list.status;
      deepStrictEqual(listed, seen, `${name} lists people: ${code}`);
      for (const { id, email } of [member, unconfirmed, suspended]) {
        strictEqual(await statusOf(`/api/users/${id}`), apiStatus(id), `${name} asks for ${email}`);
      }

      const isToken = Object.keys(headers).length > 0;
      const isLedToLogin = person === undefined && (people === "members" || people === "off");
      const pageStatus = (status: number) => isToken ? 403 : isLedToLogin ? 303 : status;
      const page = await get("/users");
      strictEqual(page.status, pageStatus(Array.isArray(seen) ? 200 : seen), `${name} opens the page of people`);
      if (page.status === 303) strictEqual(page.headers.get("Location"), "/login?next=%2Fusers");
      for (const { id, email } of [member, unconfirmed, suspended]) {
        strictEqual(await statusOf(`/users/${id}`), pageStatus(apiStatus(id)), `${name} opens the page of ${email}`);
      }
    }
  });

  Deno.test(`with PEOPLE=${people}, links to people lead somewhere, and the own profile stays`, async () => {
    app.services.config.people = people as Config["people"];
    for (const [name, { client, headers, person }] of Object.entries<Viewer>(VIEWERS)) {
      if (headers !== undefined) continue;
      const frame = await readPage(client.get("/nowhere"));
      const isOpen = async (path: string) => (await client.get(path)).status === 200;
      const links = frame.links.filter(({ href }) => href === "/users");
      const inFrame = person === undefined ? 2 : 1; // members need no link in the footer
      strictEqual(links.length, await isOpen("/users") ? inFrame : 0, `${name}: header and footer`);
      if (person === undefined) continue;
      strictEqual(await isOpen("/api/profile"), true, name);
      const own = `/users/${person.id}`;
      for (const page of [frame, await readPage(client.get("/profile"))]) {
        strictEqual(page.leadsTo(own), await isOpen(own), `${name}: own page`);
      }
    }
  });
}

Deno.test("people learn who would see their address, and where no one would, they are not asked", async () => {
  const { config } = app.services;
  const pages = async () => [
    await html(member.client, "/profile"),
    await html(member.client, "/dashboard"),
    await html(app.client(), "/register"),
  ];
  for (
    const [people, audience] of [["all", "[Aa]nyone"], ["verified", "[Aa]nyone"], ["members", "[Mm]embers"]] as const
  ) {
    config.people = people;
    const [profile, dashboard, register] = await pages();
    match(profile, new RegExp(`${audience} can see this address`));
    match(dashboard, new RegExp(`${audience} can see this address`));
    match(register, new RegExp(`where ${audience} can see it`));
  }
  config.people = "off";
  for (const page of await pages()) doesNotMatch(page, /can see|emailVisible/);
});
