import { sql } from "kysely";
import type { Db } from "../../../db/schema.ts";
import { TOKEN_TABLES } from "../../mail/kinds.ts";
import { aboutAll, type Finding, peopleOf } from "./finding.ts";

/** Rows that a migration must leave as they are, because someone would no longer get in, or would lose something. */
interface Kept {
  table: string;
  /** The columns that tell its rows apart. */
  key: string[];
  /** The column with the id of the person; missing if the rows are not about people. */
  person?: string;
  /** The columns whose values must stay. */
  columns: string[];
  /** Which rows, as SQL over these columns, before the migrations. By default all. */
  where?: string;
  /** What happens to people otherwise. */
  loss: string;
}

const USERS = { table: "users", key: ["id"], person: "id" };
const OF_USER = { person: "user_id", key: ["id"] };

/** A test names the tables that are not in this list, and so may change in any way. */
export const KEPT: Kept[] = [
  { ...USERS, columns: [], loss: "lose their account" },
  { ...USERS, columns: ["email"], loss: "have another email address" },
  { ...USERS, columns: ["password_hash"], where: "password_hash is not null", loss: "lose their password" },
  { ...USERS, columns: ["email_verified"], where: "email_verified", loss: "have an unconfirmed email address" },
  { ...USERS, columns: ["role"], where: "role = 'admin'", loss: "are no longer admins" },
  { ...USERS, columns: ["suspended_at"], where: "suspended_at is null", loss: "are suspended" },
  { ...USERS, columns: ["deletion_due_at"], loss: "lose their account at another time" },
  { ...USERS, columns: ["second_factor_due_at"], loss: "must have a second factor at another time" },
  { ...OF_USER, table: "passkeys", columns: ["user_id", "credential_id", "public_key"], loss: "lose a passkey" },
  {
    table: "identities",
    key: ["provider", "subject"],
    person: "user_id",
    columns: ["user_id"],
    loss: "lose an identity at a provider",
  },
  {
    table: "totp_secrets",
    key: ["user_id"],
    person: "user_id",
    columns: ["secret", "enabled_at"],
    where: "enabled_at is not null",
    loss: "lose their authenticator app",
  },
  {
    table: "recovery_codes",
    key: ["user_id", "code_hash"],
    person: "user_id",
    columns: [],
    loss: "lose recovery codes",
  },
  { ...OF_USER, table: "sessions", columns: ["user_id", "public_id", "expires_at"], loss: "are logged out" },
  {
    ...OF_USER,
    table: "api_tokens",
    columns: ["user_id", "token_hash", "scopes", "expires_at"],
    loss: "lose an API token, or what it may do",
  },
  {
    ...OF_USER,
    table: "grants",
    columns: ["user_id", "client_id", "scopes", "session_public_id", "refresh_key", "generation", "expires_at"],
    loss: "must sign in to an app again",
  },
  { ...OF_USER, table: "consents", columns: ["user_id", "client_id", "scopes"], loss: "are asked by an app again" },
  { ...OF_USER, table: "group_members", columns: ["user_id", "group_name", "expires_at"], loss: "leave a group" },
  ...TOKEN_TABLES.map((table) => ({
    ...OF_USER,
    table,
    columns: ["user_id", "token_hash", "expires_at", "used"],
    where: "not used",
    loss: "have an emailed link that no longer works",
  })),
  {
    table: "emailed_codes",
    key: ["user_id", "purpose"],
    person: "user_id",
    columns: ["code_hash", "expires_at"],
    loss: "have an emailed code that no longer works",
  },
  { ...OF_USER, table: "uploads", columns: ["user_id", "key", "state"], loss: "lose a file" },
  {
    ...OF_USER,
    table: "outbox",
    columns: ["payload", "status"],
    where: "status = 'pending'",
    loss: "lose an email that waits",
  },
  {
    table: "devices",
    key: ["token_hash"],
    person: "user_id",
    columns: ["user_id", "trusted_until"],
    where: "trusted_until is not null",
    loss: "lose the trust in a device",
  },
  { table: "groups", key: ["name"], columns: [], loss: "Groups are lost." },
  { table: "webhooks", key: ["id"], columns: ["url", "kinds"], loss: "Webhooks are lost." },
  { table: "webhook_secrets", key: ["id"], columns: ["secret"], loss: "Secrets of webhooks are lost." },
  { table: "clients", key: ["id"], columns: ["fields", "secrets"], loss: "Apps made in the browser are lost." },
  { table: "signing_keys", key: ["id"], columns: ["private_key"], loss: "Keys of access tokens are lost." },
];

/** The schema of the copies. No migration knows it. */
const BEFORE = "before";

/** What is known about the database before the migrations. */
export interface Before {
  /** The columns of each table that is kept, as far as they exist. */
  columns: Map<string, string[]>;
  uniqueKeys: UniqueKey[];
}

interface UniqueKey {
  table: string;
  columns: string;
}

/** Copies what must be the same after the migrations. */
export async function rememberKept(db: Db): Promise<Before> {
  await sql`create schema ${sql.id(BEFORE)}`.execute(db);
  const columns = new Map<string, string[]>();
  for (const [table, rules] of Map.groupBy(KEPT, ({ table }) => table)) {
    const there = await columnsOf(db, table);
    const wanted = rules.flatMap((
      { key, person, columns },
    ) => [...key, ...person === undefined ? [] : [person], ...columns]);
    const found = [...new Set(wanted)].filter((column) => there.includes(column));
    if (found.length === 0) continue;
    const list = sql.join(found.map((column) => sql.ref(column)));
    await sql`create table ${sql.id(BEFORE, table)} as select ${list} from ${sql.id("public", table)}`.execute(db);
    columns.set(table, found);
  }
  return { columns, uniqueKeys: await uniqueKeysOf(db) };
}

/** Compares what was remembered with the database after the migrations. */
export async function compareKept(db: Db, before: Before): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const kept of KEPT) {
    const known = before.columns.get(kept.table) ?? [];
    // What an earlier release did not have, no one can lose.
    if (![...kept.key, ...kept.columns].every((column) => known.includes(column))) continue;
    findings.push(...await losersOf(db, kept));
  }
  return [...findings, ...await lostKeys(db, before.uniqueKeys)];
}

async function losersOf(db: Db, { table, key, person, columns, where = "true", loss }: Kept): Promise<Finding[]> {
  const there = await columnsOf(db, table);
  const isThere = [...key, ...columns].every((column) => there.includes(column));
  const [now, was] = [sql.id("now"), sql.id("was")];
  const equal = (column: string) => sql`${now}.${sql.ref(column)}::text = ${was}.${sql.ref(column)}::text`;
  const differs = (column: string) =>
    sql`${now}.${sql.ref(column)}::text is distinct from ${was}.${sql.ref(column)}::text`;
  // The planner hashes equalities, so this takes one look at each table.
  const changed = sql`
    left join ${sql.id("public", table)} as ${now} on ${sql.join(key.map(equal), sql` and `)}
    where ${now}.${sql.ref(key[0])} is null or ${sql.join([sql`false`, ...columns.map(differs)], sql` or `)}
  `;
  const idOf = sql.ref(person ?? key[0]);
  const lost = sql<{ id: string }>`
    select distinct ${was}.${idOf}::text as id
    from (select * from ${sql.id(BEFORE, table)} where ${idOf} is not null and ${sql.raw(where)}) as ${was}
    ${isThere ? changed : sql``}
  `;
  if (person !== undefined) return await peopleOf(db, lost, { text: loss, isRefusal: true });
  const { rows } = await sql`select from (${lost}) as lost limit 1`.execute(db);
  return rows.length === 0 ? [] : [aboutAll(loss, true)];
}

/** Without a unique key, the database lets two people have what only one may have. */
async function lostKeys(db: Db, keys: UniqueKey[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  const left = await uniqueKeysOf(db);
  for (const { table, columns } of keys) {
    const isThere = left.some((each) => each.table === table && each.columns === columns);
    const person = KEPT.find((kept) => kept.table === table)?.person;
    if (isThere || person === undefined) continue;
    const people = sql<{ id: string }>`
      select distinct ${sql.ref(person)}::text as id from ${sql.id(BEFORE, table)} where ${sql.ref(person)} is not null
    `;
    const text = `could be taken for someone else: ${table} (${columns}) is no longer unique`;
    findings.push(...await peopleOf(db, people, { text, isRefusal: true }));
  }
  return findings;
}

async function uniqueKeysOf(db: Db): Promise<UniqueKey[]> {
  const { rows } = await sql<UniqueKey>`
    select t.relname as table, substring(pg_get_indexdef(i.indexrelid) from '\\((.*)\\)') as columns
    from pg_index i join pg_class t on t.oid = i.indrelid
    where i.indisunique and t.relnamespace = 'public'::regnamespace
  `.execute(db);
  return rows;
}

async function columnsOf(db: Db, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select column_name as name from information_schema.columns
    where table_schema = 'public' and table_name = ${table}
  `.execute(db);
  return rows.map(({ name }) => name);
}
