/** `deno task migrate`: imports the composition root, which migrates the database, and closes it again. */
import { failToStart } from "./fail_to_start.ts";

try {
  const { database, services } = await import("../../main.ts");
  await database.close();
  services.log("info", "database is up to date");
} catch (error) {
  await failToStart(error);
}
