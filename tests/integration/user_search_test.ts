import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { sql } from "kysely";
import type { Config } from "../../lib/config/config.ts";
import { runForClient } from "../../lib/turns/current_client.ts";
import { insertUser } from "../../lib/users/user.ts";
import { findUsersByName } from "../../lib/users/user_search.ts";
import { readPage } from "../support/app/page_reader.ts";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";
import { waitFor } from "../support/wait_for.ts";

const app = await openSharedTestApp();
const { db } = app.services;
const member = await registerVerifiedUser(app, "member@example.com", "Member");
let created = 0;

/** Adds a user who was created after all others, and returns the id. */
async function addUser(name: string, isVerified = true): Promise<string> {
  app.advance(1);
  const email = `user-${++created}@example.com`;
  const row = await insertUser(
    db,
    { email, name, passwordHash: null, emailVisible: true, language: null, isVerified },
    app.services.now(),
  );
  return row!.id;
}

async function search(
  query: string,
  rest = "",
  client = app.client(),
): Promise<{ names: string[]; nextCursor: string | null }> {
  const response = await client.get(`/api/users?query=${encodeURIComponent(query)}${rest}`);
  const { data, nextCursor, details } = await response.json();
  strictEqual(response.status, 200, JSON.stringify(details));
  return { names: data.map(({ name }: { name: string }) => name), nextCursor };
}

async function finds(query: string, name: string): Promise<boolean> {
  return (await search(query)).names.includes(name);
}

/** A name, the queries that find it, and those that do not. */
const NAMES: [name: string, found: string[], notFound: string[]][] = [
  ["Ada Lovelace", ["a", "ada", "ADA", " ada ", "love", "lovelace", "love ad", "ada ada"], [
    "da",
    "adam",
    "ada x",
    "lace",
  ]],
  ["Zoë Müller-Lüdenscheidt", ["zoe", "Zoé", "mull", "müll", "lud", "zoe ludenscheidt", "muller-lud"], ["denscheidt"]],
  ["Łukasz Żółć", ["lukasz", "ŁUK", "zolc", "Zółć"], ["ukasz"]],
  ["Søren Ærø Bjørn", ["soren", "SØR", "aero", "ær", "bjorn"], ["oren"]],
  ["Günther Weiß", ["weiss", "WEISS", "weiß", "gunther"], ["eiss"]],
  ["İbrahim Işık", ["ibrahim", "IBRA", "ı", "isik", "ışık"], ["sik"]],
  ["ΑΛΈΞΑΝΔΡΟΣ Ωνάσης", ["αλεξανδρος", "Αλέξ", "ΩΝΑΣΗΣ", "ωνασησ"], ["λεξ"]],
  ["Ёлкина Анна", ["елк", "ЁЛК", "анна"], ["лкина"]],
  ["محمد الأحمد", ["محمد", "مُحَمَّد", "الاحمد", "مـحمد"], ["حمد"]],
  ["فاطمة یوسف", ["فاطمه", "يوسف"], ["طمة"]],
  ["שָׁלוֹם כהן", ["שלום", "כהן"], ["לום"]],
  ["山田太郎", ["山", "山田", "山田太郎"], ["太郎"]],
  ["ガギ 김민준", ["ガ", "ｶﾞ", "김민"], ["カ", "민준"]],
  ["Ｆｕｌｌ ﬁne", ["full", "fine"], ["ull"]],
  ["O’Brien (Bob) “The Boss”", ["brien", "o'brien", "bob", "boss"], ["obrien"]],
  ["🎉Eva🎉 Smith", ["eva", "smith", "🎉 eva"], ["va"]],
  ["d'Artagnan 100% a_b", ["artag", "100", "b"], ["%", "_", "00"]],
  ["𐐀𐐁 Deseret", ["𐐨𐐩", "𐐀"], ["𐐩"]],
];

for (const [name] of NAMES) await addUser(name);

Deno.test("a person is found by the beginnings of the words in the name, without case and accents", async () => {
  for (const [name, found, notFound] of NAMES) {
    for (const query of found) strictEqual(await finds(query, name), true, `${query} finds ${name}`);
    for (const query of notFound) strictEqual(await finds(query, name), false, `${query} does not find ${name}`);
  }
});

Deno.test("a query without a letter or digit finds no one, and an empty one lists everyone", async () => {
  for (const query of ["-", "🎉", "’ %", "_"]) deepStrictEqual((await search(query)).names, [], query);
  const everyone = (await (await app.client().get("/api/users")).json()).data.length;
  for (const query of ["", " "]) strictEqual((await search(query)).names.length, everyone);
});

Deno.test("a query has at most 100 characters on one line", async () => {
  const statusOf = async (query: string) =>
    (await app.client().get(`/api/users?query=${encodeURIComponent(query)}`)).status;
  for (const query of ["ﷺ".repeat(100), "a ".repeat(50), "'\\:*&|!()%"]) strictEqual(await statusOf(query), 200, query);
  for (const query of ["x".repeat(101), "a\nb", "\0"]) strictEqual(await statusOf(query), 400, query);
});

Deno.test("a search is newest first, and its cursors reach everyone whom it finds, common or rare", async () => {
  const ids = [];
  for (let i = 0; i < 7; i++) {
    ids.unshift(await addUser(i % 2 === 0 ? `Paging Number${i}` : `Number${i} Paging Paging`));
  }
  for (const query of ["paging", "pag num"]) {
    for (const limit of [1, 3, 7, 500]) {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const response = await app.client().get(
          `/api/users?query=${encodeURIComponent(query)}&limit=${limit}${cursor === null ? "" : `&cursor=${cursor}`}`,
        );
        const body = await response.json();
        seen.push(...body.data.map(({ id }: { id: string }) => id));
        if (body.nextCursor !== null) {
          const next = new URL(response.headers.get("Link")!.match(/<(.+)>/)![1]).searchParams;
          deepStrictEqual([next.get("query"), next.get("cursor")], [query, body.nextCursor]);
        }
        cursor = body.nextCursor;
      } while (cursor !== null);
      deepStrictEqual(seen, ids, `${query}, ${limit} at once`);
    }
  }
});

Deno.test("the oldest person is found among thousands of newer ones, with a rare and a common beginning", async () => {
  const oldest = await addUser("Rarissima Commonly");
  const thousands = [1, 1001, 2001];
  for (const first of thousands) {
    await sql`
      insert into users (id, email, name, email_verified, created_at, updated_at)
      select overlay(overlay(${oldest} placing 'f' from 1) placing lpad(to_hex(n), 12, '0') from 25), 'many' || n || '@example.com', 'Commonly Person' || n, true, now(), now()
      from generate_series(${first}::int, ${first + 999}::int) as n
    `.execute(db);
  }
  deepStrictEqual((await search("rariss", "&limit=2")).names, ["Rarissima Commonly"]);
  deepStrictEqual((await search("common rariss", "&limit=2")).names, ["Rarissima Commonly"]);
  deepStrictEqual((await search("common", "&limit=2")).names.length, 2);
  deepStrictEqual((await search("person7", "&limit=500", member.client)).names.length, 1 + 10 + 100);
  // Almost a page of them is among the newest.
  deepStrictEqual((await search("person12 common", "&limit=105", member.client)).names.length, 105);
  // Among so many, others get their turns while a search goes on, and a guest gets short pages.
  let turns = 0;
  for (let tries = 0; tries < 10 && turns < 4; tries++) turns = await turnsDuringSearch(); // the other may come late
  ok(turns >= 4, `${turns} turns`);
  for (const query of ["", "query=common&"]) {
    const lengthFor = async (client: TestClient) => {
      const { data, nextCursor } = await (await client.get(`/api/users?${query}limit=500`)).json();
      return [data.length, nextCursor !== null];
    };
    deepStrictEqual([await lengthFor(app.client()), await lengthFor(member.client)], [[100, true], [500, true]]);
  }
  for (const _ of thousands) {
    await sql`
      delete from users where id in (select id from users where name like 'Commonly Person%' limit 1000)
    `.execute(db);
  }
});

/** Returns how many queries of another client come between those of a search. */
async function turnsDuringSearch(): Promise<number> {
  let turns = 0;
  let isOver = false;
  const found = { query: "nobody", limit: 100, unconfirmed: true, cursor: undefined };
  const searching = runForClient(["greedy"], () => findUsersByName(db, found)).finally(() => isOver = true);
  await runForClient(["patient"], async () => {
    for (; !isOver; turns++) await sql`select 1`.execute(db);
  });
  deepStrictEqual(await searching, []);
  return turns;
}

Deno.test("one search at a time runs for an address, and a full queue has room for another address", async () => {
  const address = "192.0.2.40";
  const searchFrom = (client: TestClient) => client.get("/api/users?query=ada");
  let searches: Promise<Response>[] = [];
  await db.transaction().execute(async (trx) => {
    await sql`lock table search_terms`.execute(trx);
    searches = Array.from({ length: 130 }, () => searchFrom(app.client(address)));
    let first: Response | undefined;
    Promise.race(searches).then((response) => first = response);
    const refused = await waitFor("one that is refused", () => first);
    deepStrictEqual([refused.status, refused.headers.get("Retry-After")], [503, "5"]);
    searches.push(searchFrom(app.client()));
  });
  const statuses = (await Promise.all(searches)).map(({ status }) => status);
  strictEqual(statuses.at(-1), 200, "the search of the other address");
});

Deno.test("an address finds no one", async () => {
  await addUser("Someone");
  const email = `user-${created}@example.com`;
  for (const query of [email, `@${email}`, `'@${email}'`, "@", "@user", `someone @${email}`, `x':* | '@user`]) {
    deepStrictEqual((await search(query)).names, [], query);
  }
});

Deno.test("the database keeps the terms of every user, whoever writes them", async () => {
  const id = await addUser("First Name");
  const email = `@user-${created}@example.com`;
  const terms = async () =>
    (await sql<{ terms: string[] }>`select tsvector_to_array(terms) as terms from search_terms where user_id = ${id}`
      .execute(db)).rows.flatMap((row) => row.terms).sort();
  deepStrictEqual(await terms(), [email, "first", "name"]);
  await db.updateTable("users").set({ name: "Second Name Name" }).where("id", "=", id).execute();
  deepStrictEqual(await terms(), [email, "name", "second"]);
  deepStrictEqual([await finds("first", "Second Name Name"), await finds("sec na", "Second Name Name")], [false, true]);
  await db.updateTable("users").set({ bio: "No name" }).where("id", "=", id).execute();
  deepStrictEqual(await terms(), [email, "name", "second"]);
  await db.updateTable("users").set({ email: "moved@example.com" }).where("id", "=", id).execute();
  deepStrictEqual(await terms(), ["@moved@example.com", "name", "second"]);
  await db.deleteFrom("users").where("id", "=", id).execute();
  deepStrictEqual(await terms(), []);
});

Deno.test("a search finds only accounts that are seen", async () => {
  const { config } = app.services;
  const hidden = await addUser("Seenby Unconfirmed", false);
  await addUser("Seenby Confirmed");
  for (const column of ["suspended_at", "deletion_due_at"] as const) {
    const id = await addUser(`Seenby ${column}`);
    await db.updateTable("users").set({ [column]: app.services.now() }).where("id", "=", id).execute();
  }
  const cases: [people: Config["people"], names: string[]][] = [
    ["all", ["Seenby Confirmed", "Seenby Unconfirmed"]],
    ["verified", ["Seenby Confirmed"]],
  ];
  for (const [people, names] of cases) {
    config.people = people;
    deepStrictEqual((await search("seenby")).names, names, people);
    deepStrictEqual((await search("seenby unconf")).names, names.slice(1), people);
  }
  for (const [people, status] of [["members", 401], ["off", 404]] as const) {
    config.people = people;
    strictEqual((await app.client().get("/api/users?query=seenby")).status, status);
  }
  config.people = "all";
  await db.deleteFrom("users").where("id", "=", hidden).execute();
});

Deno.test("the page of people has a search, which stays while people turn the pages", async () => {
  for (let i = 0; i < 26; i++) await addUser(`Turner & Page ${i}`);
  const guest = app.client();
  const pageAt = (path: string) => readPage(guest.get(path));
  strictEqual((await pageAt("/users")).find('form[role="search"]').getAttribute("action"), "/users");
  const first = await pageAt("/users?query=turn+%26+page");
  deepStrictEqual(first.textsAt("title"), ["People: turn & page · Foyer"]);
  deepStrictEqual([first.field("query").type, first.field("query").value], ["search", "turn & page"]);
  const second = await pageAt(first.find('[rel="next"]').getAttribute("href")!);
  deepStrictEqual(second.textsAt("main bdi"), ["Turner & Page 1", "Turner & Page 0"]);
  strictEqual(second.link("First page").href, "/users?query=turn+%26+page");
  strictEqual(second.field("query").value, "turn & page");

  const empty = await pageAt("/users?query=%3Cb%3Enobody");
  match(empty.text, /No one found/);
  strictEqual(empty.field("query").value, "<b>nobody");
  doesNotMatch(empty.html, /<b>nobody/);
  deepStrictEqual(empty.findAll(".people"), []);
});
