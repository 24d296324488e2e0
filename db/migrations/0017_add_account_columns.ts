import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table users
      add column role text not null default 'user',
      add column language text,
      add column email_visible boolean not null default true,
      add column deletion_due_at timestamptz
  `.execute(db);
}
