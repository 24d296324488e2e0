import { deepStrictEqual } from "node:assert/strict";
import { check, EVERYONE, type RuleName } from "./checker.ts";
import type { Credential, Entry } from "./history.ts";

const SESSION: Credential = { id: "session", kind: "session", account: "ada" };
const GRANT: Credential = { id: "grant", kind: "grant", account: "ada", parents: ["session"] };
const LINK: Credential = { id: "link", kind: "reset link", account: "ada", once: true, lifeSeconds: 60 };
const TOKEN: Credential = { id: "token", kind: "token", account: "ada", lasts: true, lifeSeconds: 3600 };
const LOGIN_LIMIT = { limit: "192.0.2.1", max: 2, windowSeconds: 60, isOver: false };

/** An entry that takes ten milliseconds, with what a case says about it. */
function entry(startedAt: number, changes: Partial<Entry>): Entry {
  const times = { startedAt, endedAt: startedAt + 10, earliest: startedAt, latest: startedAt + 10 };
  return { actor: "test", act: "test", account: "ada", outcome: "accepted", answer: "", ...times, ...changes };
}

const made = (credential: Credential) => entry(0, { makes: [credential] });
const ended = (at: number, ends: Entry["ends"], changes: Partial<Entry> = {}) => entry(at, { ends, ...changes });
const used = (at: number, { id }: Credential, changes: Partial<Entry> = {}) => entry(at, { uses: [id], ...changes });
const refused = { outcome: "refused" } as const;
const unknown = { outcome: "unknown" } as const;

const AFTER_END = "nothing is accepted after its end was acknowledged";
const GATE = "nothing passes a gate that was acknowledged to be shut";
const ONCE = "what works once is accepted once";
const TOO_LATE = "nothing is accepted after its time";
const LIMIT = "limits are not exceeded";
const LOST = "nothing acknowledged is lost";
const TOO_SOON = "what has not ended works";

const suspended = (at: number, changes: Partial<Entry> = {}) => entry(at, { shuts: "ada", ...changes });
const unsuspended = (at: number, changes: Partial<Entry> = {}) => entry(at, { opens: "ada", ...changes });
const passed = (at: number) => entry(at, { passes: ["ada"] });
const counted = (at: number, isOver = false) => entry(at, { ...refused, counts: { ...LOGIN_LIMIT, isOver } });
const wrote = (at: number, value: string, changes: Partial<Entry> = {}) =>
  entry(at, { writes: { key: "name", value }, ...changes });
const read = (at: number, value: string | null) => entry(at, { reads: { key: "name", value } });

/** What each history breaks; null if it keeps every rule. */
const CASES: [name: string, broken: RuleName | null, history: Entry[]][] = [
  ["a use after the end", AFTER_END, [made(SESSION), ended(20, { ids: ["session"] }), used(31, SESSION)]],
  ["a refused use after the end", null, [made(SESSION), ended(20, { ids: ["session"] }), used(31, SESSION, refused)]],
  ["a use that began before the acknowledgment", null, [
    made(SESSION),
    ended(20, { ids: ["session"] }),
    used(29, SESSION),
  ]],
  ["an end that may not have happened", null, [
    made(SESSION),
    ended(20, { ids: ["session"] }, unknown),
    used(50, SESSION),
  ]],
  ["a credential made while the act ran", null, [
    entry(15, { makes: [SESSION] }),
    ended(20, { kinds: ["session"] }),
    used(50, SESSION),
  ]],
  ["all of a kind", AFTER_END, [made(SESSION), ended(20, { kinds: ["session"] }), used(50, SESSION)]],
  ["all of a kind, of another account", null, [
    made(SESSION),
    ended(20, { kinds: ["session"] }, { account: "bob" }),
    used(50, SESSION),
  ]],
  ["all of a kind, of everyone", AFTER_END, [
    made(SESSION),
    ended(20, { kinds: ["session"] }, { account: EVERYONE }),
    used(50, SESSION),
  ]],
  ["all of a kind but this one", null, [
    made(SESSION),
    ended(20, { kinds: ["session"], except: ["session"] }),
    used(50, SESSION),
  ]],
  ["a grant whose session ended", AFTER_END, [made(GRANT), ended(20, { ids: ["session"] }), used(50, GRANT)]],
  ["a grant whose session stays", null, [
    made(GRANT),
    ended(20, { kinds: ["grant"], except: ["session"] }),
    used(50, GRANT),
  ]],
  ["through a shut gate", GATE, [suspended(0), passed(20)]],
  ["through a gate that opened again", null, [suspended(0), unsuspended(20), passed(40)]],
  ["through a gate that may be opening", null, [suspended(0), unsuspended(15, unknown), passed(20)]],
  ["through a gate that was opened before it was shut", GATE, [unsuspended(0), suspended(20), passed(40)]],
  ["through a gate, after an opening that may come late", null, [unsuspended(0, unknown), suspended(20), passed(40)]],
  ["a link that works twice", ONCE, [made(LINK), used(20, LINK), used(20, LINK)]],
  ["a link whose first use is not known", null, [made(LINK), used(20, LINK, unknown), used(40, LINK)]],
  ["a session that works twice", null, [made(SESSION), used(20, SESSION), used(20, SESSION)]],
  ["a link after its time", TOO_LATE, [made(LINK), used(60_011, LINK)]],
  ["a link within its time", null, [made(LINK), used(60_009, LINK)]],
  ["a link while one instance is still behind", null, [made(LINK), used(40, LINK, { latest: 90_000 })]],
  ["three attempts of two", LIMIT, [counted(0), counted(20), counted(40)]],
  ["three attempts of two, one refused by the limit", null, [counted(0), counted(20), counted(40, true)]],
  ["three attempts, the last one after the window", null, [counted(0), counted(20), counted(59_991)]],
  ["the last name", null, [wrote(0, "A"), wrote(20, "B"), read(40, "B")]],
  ["an older name", LOST, [wrote(0, "A"), wrote(20, "B"), read(40, "A")]],
  ["no name", LOST, [wrote(0, "A"), read(40, null)]],
  ["a name that may have been stored", null, [wrote(0, "A"), wrote(20, "B", unknown), read(40, "B")]],
  ["a name that was refused", LOST, [wrote(0, "A"), wrote(20, "B", refused), read(40, "B")]],
  ["a name stored late", null, [wrote(0, "A", unknown), wrote(20, "B"), read(40, "A")]],
  ["one of two names at once", null, [wrote(0, "A"), wrote(5, "B"), read(40, "A")]],
  ["a token that is refused", TOO_SOON, [made(TOKEN), used(20, TOKEN, refused)]],
  ["a token that may have ended", null, [
    made(TOKEN),
    ended(15, { kinds: ["token"] }, unknown),
    used(20, TOKEN, refused),
  ]],
  ["a token after its time", null, [made(TOKEN), used(3_600_000, TOKEN, refused)]],
];

for (const [name, broken, history] of CASES) {
  Deno.test(`the checker of the model: ${name}`, () => {
    deepStrictEqual(check(history).map(({ rule }) => rule), broken === null ? [] : [broken]);
  });
}
