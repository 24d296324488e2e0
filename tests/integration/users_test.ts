import { deepStrictEqual, doesNotMatch, strictEqual } from "node:assert/strict";
import { registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { html } from "../support/app/page_forms.ts";
import { readPage } from "../support/app/page_reader.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";

const app = await openSharedTestApp();
const people: { id: string; email: string }[] = [];
for (let i = 0; i < 5; i++) {
  people.unshift(await registerUser(app, `user${i}@example.com`, `User ${i}`));
  app.advance(1);
}

Deno.test("the list is newest first, and its cursors reach every user", async () => {
  for (const [limit, pages] of [[2, 3], [people.length, 1]]) {
    const seen: string[][] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const response = await app.client().get(`/api/users?limit=${limit}${cursor && `&cursor=${cursor}`}`);
      strictEqual(response.status, 200);
      const body: { data: { id: string }[]; nextCursor: string | null } = await response.json();
      seen.push(body.data.map(({ id }) => id));
      cursor = body.nextCursor;
    }
    strictEqual(seen.length, pages);
    deepStrictEqual(seen.flat(), people.map(({ id }) => id));
  }
});

Deno.test("a list entry and a user have exactly the specified fields", async () => {
  const [newest] = people;
  const { data } = await (await app.client().get("/api/users?limit=1")).json();
  const createdAt = Math.floor(app.services.now().getTime() / 1000) - 1;
  const entry = { id: newest.id, name: "User 4", email: newest.email, avatar: null, provider: "email", createdAt };
  deepStrictEqual(data, [entry]);

  const one = await (await app.client().get(`/api/users/${newest.id}`)).json();
  deepStrictEqual(one, { data: { ...entry, bio: "", location: "", website: "" } });
});

Deno.test("an unknown user is not found", async () => {
  for (
    const id of ["0198c1de-0000-7000-8000-000000000000", "nobody", "%00", people[0].id.toUpperCase(), "a".repeat(9999)]
  ) {
    const response = await app.client().get(`/api/users/${id}`);
    strictEqual(response.status, 404, id);
    deepStrictEqual(await response.json(), {
      message: "User not found",
      error: "User not found",
      code: "NOT_FOUND",
      details: {},
    });
  }
});

Deno.test("the query of the list is validated", async () => {
  const cases: [query: string, status: number, field?: string][] = [
    ["", 200],
    ["limit=1", 200],
    ["limit=500", 200],
    ["limit=0", 400, "limit"],
    ["limit=501", 400, "limit"],
    ["limit=-1", 400, "limit"],
    ["limit=1.5", 400, "limit"],
    ["limit=x", 400, "limit"],
    ["limit=", 400, "limit"],
    ["limit=1&limit=2", 400, "limit"],
    ["cursor=", 400, "cursor"],
    ["cursor=not-a-cursor", 400, "cursor"],
    ["cursor=%00", 400, "cursor"],
    ["offset=3", 400, "offset"],
    ["constructor=1", 400, "constructor"],
    ["__proto__=1", 400, "__proto__"],
  ];
  for (const [query, status, field] of cases) {
    const response = await app.client().get(`/api/users?${query}`);
    strictEqual(response.status, status, query);
    const { details } = await response.json();
    if (field !== undefined) deepStrictEqual(Object.keys(details), [field], query);
  }
});

Deno.test("a suspended account is hidden, and its sessions do not count", async () => {
  const { client, id } = await registerVerifiedUser(app, "suspended-user@example.com");
  const seen = async () => [
    (await client.get("/api/profile")).status,
    (await app.client().get(`/api/users/${id}`)).status,
    (await (await app.client().get("/api/users?limit=500")).text()).includes(id),
  ];
  deepStrictEqual(await seen(), [200, 200, true]);
  const suspend = (suspended_at: Date | null) =>
    app.services.db.updateTable("users").set({ suspended_at }).where("id", "=", id).execute();
  await suspend(app.services.now());
  deepStrictEqual(await seen(), [401, 404, false]);
});

Deno.test("one's own entry, page and profile form lead to each other, for oneself only", async () => {
  const { client, id } = await registerVerifiedUser(app, "finds-oneself@example.com", "Own Name");
  const other = await registerVerifiedUser(app, "finds-others@example.com", "Other Name");
  strictEqual((await readPage(client.get("/profile"))).link("View your profile").href, `/users/${id}`);
  strictEqual((await readPage(client.get(`/users/${id}`))).link("Edit profile").href, "/profile");
  const tags = async (client: TestClient) => (await readPage(client.get("/users"))).textsAt("main :has(> bdi + .tag)");
  deepStrictEqual(await tags(client), ["Own Name You"]);
  deepStrictEqual(await tags(other.client), ["Other Name You"]);
  deepStrictEqual(await tags(app.client()), []);
  for (const visitor of [other.client, app.client()]) {
    doesNotMatch(await html(visitor, `/users/${id}`), /Edit profile/);
  }
});
