import { rejects } from "node:assert/strict";
import { ConfigError } from "../../lib/config/config.ts";
import { openPostgres } from "./open_postgres.ts";

/** No program listens on the first port. */
const UNREACHABLE = "127.0.0.1:1";

Deno.test("a database that cannot be reached is refused with the reason and an example, without its password", async () => {
  const database = openPostgres({ databaseUrl: `postgres://foyer:hunter2@${UNREACHABLE}/foyer`, log() {} });
  const expected = new ConfigError(
    `Cannot use the database at DATABASE_URL: connect ECONNREFUSED ${UNREACHABLE}. Example: ` +
      "DATABASE_URL=postgres://foyer@db.example.com/foyer?sslmode=verify-full",
  );
  await rejects(database.migrate(), expected).finally(() => database.close());
});
