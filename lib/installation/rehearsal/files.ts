import { PAGE_ROWS, pagesOf } from "../../../db/row_pages.ts";
import type { Db } from "../../../db/schema.ts";
import type { ObjectStore } from "../../services/object_store.ts";
import { type Finding, FindingList } from "./finding.ts";

/** Looks for the object of each stored upload. Its smaller copies are not looked for. */
export async function checkFiles(
  db: Db,
  files: Pick<ObjectStore, "head">,
): Promise<{ findings: Finding[]; count: number }> {
  const list = new FindingList();
  let count = 0;
  const pages = pagesOf("id", (after) =>
    db.selectFrom("uploads").innerJoin("users", "users.id", "uploads.user_id")
      .select(["uploads.id", "uploads.key", "users.email"])
      .where("uploads.state", "=", "stored").where("uploads.id", ">", after)
      .orderBy("uploads.id").limit(PAGE_ROWS).execute());
  for await (const rows of pages) {
    const found = await Promise.all(rows.map(({ key }) => files.head(key)));
    rows.forEach(({ email }, index) => {
      if (found[index] === null) list.add(email, "have an upload whose file is missing", false);
    });
    count += rows.length;
  }
  return { findings: list.findings(), count };
}
