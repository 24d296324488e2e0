import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { v7 } from "uuid";
import { findAccountIds, listAccounts } from "../../lib/admin/account_list.ts";
import type { UserStatus } from "../../lib/schemas/states.ts";
import { registerAdmin } from "../support/app/admins.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp();
const { db } = app.services;
const { client, id: adminId } = await registerAdmin(app, "root@admin.example", "Zoë Root");

const now = app.services.now();
/** Newest last. */
const PEOPLE: [name: string, email: string, status: UserStatus][] = [
  ["Ada Lovelace", "ada@example.org", "active"],
  ["Ångström Anders", "anders.angstrom@example.org", "unverified"],
  ["O'Brien, Ann-Marie", "ann_marie+news@example.net", "suspended"],
  ["Jean Bartik", "love@example.org", "closing"],
  ["Lovely Ann", "smith@adamant.example", "active"],
];
const ids = new Map<string, string>();
for (const [index, [name, email, status]] of PEOPLE.entries()) {
  const id = v7({ msecs: now.getTime() + 1 + index });
  ids.set(id, name);
  await db.insertInto("users").values({
    id,
    name,
    email,
    password_hash: null,
    idp_id: null,
    avatar: null,
    email_verified: status !== "unverified",
    suspended_at: status === "suspended" || status === "closing" ? now : null,
    deletion_due_at: status === "closing" ? new Date(now.getTime() + 1e9) : null,
    created_at: now,
    updated_at: now,
  }).execute();
}

async function found(query: string, status = ""): Promise<string[]> {
  const response = await client.get(`/api/admin/users?${new URLSearchParams({ query, ...(status && { status }) })}`);
  const body = await response.json();
  strictEqual(response.status, 200, JSON.stringify(body));
  return body.data.map(({ name }: { name: string }) => name);
}

const CASES: [query: string, names: string[], status?: string][] = [
  ["ada", ["Ada Lovelace"]],
  ["love", ["Lovely Ann", "Jean Bartik", "Ada Lovelace"]],
  ["LOVE  aDa@EXAMPLE", ["Ada Lovelace"]],
  ["lové ann", ["Lovely Ann"]],
  ["angstrom", ["Ångström Anders"]],
  ["Ångström an", ["Ångström Anders"]],
  ["o'brien", ["O'Brien, Ann-Marie"]],
  ["ann", ["Lovely Ann", "O'Brien, Ann-Marie"]],
  ["ann_marie+", ["O'Brien, Ann-Marie"]],
  ["ann%", ["Lovely Ann", "O'Brien, Ann-Marie"]],
  ["@example", []],
  ["example", []],
  ["velace", []],
  ["ada nobody", []],
  ["-", []],
  ["\u0301", []],
  ["an", ["Lovely Ann", "O'Brien, Ann-Marie", "Ångström Anders"]],
  ["an", ["Ångström Anders"], "unverified"],
  ["an", ["O'Brien, Ann-Marie"], "suspended"],
  ["love", ["Jean Bartik"], "closing"],
  ["love", [], "suspended"],
  ["", ["O'Brien, Ann-Marie"], "suspended"],
  ["", ["Jean Bartik"], "closing"],
  ["", ["Ångström Anders"], "unverified"],
  ["", ["Lovely Ann", "Ada Lovelace", "Zoë Root"], "active"],
  ["zoe", ["Zoë Root"]],
];

for (const [query, names, status] of CASES) {
  Deno.test(`accounts that match “${query}”${status ? `, ${status}` : ""}`, async () => {
    deepStrictEqual((await found(query, status)).sort(), [...names].sort());
    if (query === "" || status !== undefined) deepStrictEqual(await found(query, status), names);
  });
}

Deno.test("a whole id finds its account, and a part of it does not", async () => {
  deepStrictEqual(await found(adminId), ["Zoë Root"]);
  deepStrictEqual(await found(adminId.toUpperCase()), ["Zoë Root"]);
  deepStrictEqual(await found(`${adminId} root`), ["Zoë Root"]);
  deepStrictEqual(await found(`${adminId} ada`), []);
  deepStrictEqual(await found(adminId.slice(0, 30)), []);
});

Deno.test("an unknown status is refused with details, and so are other parameters", async () => {
  for (const [name, value] of [["status", "deleted"], ["sort", "name"], ["limit", "0"], ["query", "x".repeat(255)]]) {
    const response = await client.get(`/api/admin/users?${name}=${value}`);
    const { code, details } = await response.json();
    deepStrictEqual([response.status, code, Object.keys(details)], [400, "VALIDATION_FAILED", [name]]);
  }
});

Deno.test("pages of a search follow each other, and Link leads on", async () => {
  const names: string[] = [];
  let path: string | null = "/api/admin/users?query=an&limit=1";
  while (path !== null) {
    const response = await client.get(path);
    const { data, nextCursor } = await response.json();
    names.push(...data.map(({ name }: { name: string }) => name));
    const link = response.headers.get("Link")?.match(/<([^>]+)>/)?.[1];
    strictEqual(link === undefined, nextCursor === null);
    path = link === undefined ? null : new URL(link).pathname + new URL(link).search;
  }
  deepStrictEqual(names, ["Lovely Ann", "O'Brien, Ann-Marie", "Ångström Anders"]);
});

Deno.test("common words and rare states are found however many accounts there are", async () => {
  const many = Array.from({ length: 6_000 }, (_, index) => ({
    id: v7({ msecs: now.getTime() + 1_000 + index }),
    name: index % 3 === 0 ? "Common Person" : `Person ${index}`,
    email: `many-${index}@example.com`,
    password_hash: null,
    idp_id: null,
    avatar: null,
    email_verified: true,
    suspended_at: index % 1_000 === 0 ? now : null,
    created_at: now,
    updated_at: now,
  }));
  for (let start = 0; start < many.length; start += 1_000) {
    await db.insertInto("users").values(many.slice(start, start + 1_000)).execute();
  }
  const expected = (matches: (user: typeof many[number]) => boolean) =>
    many.filter(matches).map(({ id }) => id).reverse();
  const all = async (query: string, status?: UserStatus) => {
    const result: string[] = [];
    let after: string | undefined;
    do {
      const { accounts, next } = await listAccounts(app.services, { query, status, limit: 7, after });
      result.push(...accounts.map(({ id }) => id));
      after = next ?? undefined;
    } while (after !== undefined && result.length < 60);
    return result;
  };
  const isCommon = ({ name }: { name: string }) => name.startsWith("Common");
  deepStrictEqual((await all("common")).slice(0, 60), expected(isCommon).slice(0, 60));
  deepStrictEqual(await all("person", "suspended"), expected(({ suspended_at }) => suspended_at !== null));
  deepStrictEqual(
    await all("many common", "suspended"),
    expected((user) => user.suspended_at !== null && isCommon(user)),
  );
  deepStrictEqual(await all("many person 5999"), expected(({ name }) => name === "Person 5999"));
  deepStrictEqual(await all("an", "suspended"), [...ids].filter(([, name]) => name.startsWith("O'")).map(([id]) => id));
  deepStrictEqual(await findAccountIds(db, { query: "nobody person", limit: 5 }), []);
});
