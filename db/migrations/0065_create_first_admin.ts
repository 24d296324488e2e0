import { type Kysely, sql } from "kysely";

/** One row remembers whether an account has ever been an admin. Older releases make admins too, so a trigger writes it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createTable("first_admin")
    .addColumn("id", "boolean", (column) => column.primaryKey().defaultTo(true).check(sql`id`))
    .addColumn("made_at", "timestamptz")
    .addColumn("link_expires_at", "timestamptz")
    .addColumn("assumed_user_id", "text", (column) => column.references("users.id").onDelete("set null"))
    .execute();
  await sql`
    insert into first_admin (made_at) select case when exists (select from users where role = 'admin') then now() end
  `.execute(db);
  await sql`
    create function note_first_admin() returns trigger language plpgsql as $$
    begin
      update first_admin set made_at = now() where made_at is null;
      return null;
    end
    $$
  `.execute(db);
  await sql`
    create trigger users_first_admin after insert or update of role on users
    for each row when (new.role = 'admin') execute function note_first_admin()
  `.execute(db);
}
