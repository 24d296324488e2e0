import { type Kysely, sql } from "kysely";

/**
 * Adds what a list of sessions shows. The defaults serve instances of the previous release, which still insert sessions
 * without these columns. How an existing session was opened is not known: only people without a password must have used
 * the identity provider.
 *
 * The values of existing sessions come with new types of the columns, which writes the table once. An `update` of all rows
 * would lock the table ten times as long.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table sessions
      add column public_id text,
      add column last_seen_at timestamptz not null default now(),
      add column client_address text,
      add column user_agent text,
      add column method text not null default 'password',
      add column authenticated_at timestamptz not null default now()
  `.execute(db);
  await sql`
    alter table sessions
      alter column public_id type text using gen_random_uuid()::text,
      alter column public_id set default gen_random_uuid()::text,
      alter column public_id set not null,
      add unique (public_id),
      alter column last_seen_at type timestamptz using created_at,
      alter column authenticated_at type timestamptz using created_at
  `.execute(db);
  await sql`
    update sessions set method = 'idp' from users
    where users.id = sessions.user_id and users.idp_id is not null and users.password_hash is null
  `.execute(db);
}
