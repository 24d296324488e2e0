import { databaseTime } from "../../../db/connection.ts";
import type { Services } from "../../../lib/services/services.ts";
import { openTestDatabase } from "../database/test_database.ts";

/** Opens a database with the user `u1` for the unit tests of a file. Returns the services that use it. */
export async function openUploadDatabase(): Promise<Pick<Services, "db" | "now" | "databaseTime">> {
  const database = await openTestDatabase();
  Deno.test.afterAll(() => database[Symbol.asyncDispose]());
  const now = () => new Date();
  const user = { id: "u1", email: "u1@example.com", name: "Ada", created_at: now(), updated_at: now() };
  await database.db.insertInto("users").values(user).execute();
  return { db: database.db, now, databaseTime };
}
