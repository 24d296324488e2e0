/** `deno task migrate`: migrates the database, which importing the composition root does, and closes it again. */
import { failToStart } from "./fail_to_start.ts";

try {
  const { database, services } = await import("../../main.ts");
  await database.close();
  services.log("info", "database is up to date");
} catch (error) {
  await failToStart(error);
}
