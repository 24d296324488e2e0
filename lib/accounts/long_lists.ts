import type { Db } from "../../db/schema.ts";
import { CLIENT_COLUMNS, clientForOwner, detailsForOwner } from "../activity/event_list.ts";
import { unixSeconds } from "../duration.ts";
import { PAGE_ROWS, pagesOf } from "../../db/row_pages.ts";
import type { ExportView } from "./export_schema.ts";
import type { Services } from "../services/services.ts";
import { uploadPagesOf } from "../uploads/library.ts";
import { uploadView } from "../uploads/upload.ts";

/** The pages of a list of the export. */
type Pages<Field extends keyof ExportView> = AsyncGenerator<ExportView[Field]>;

/** Exports what happened to the account of a user. */
export async function* exportEvents(db: Db, userId: string): Pages<"events"> {
  const columns = ["id", "kind", "session_public_id", "details", "created_at", ...CLIENT_COLUMNS] as const;
  const pages = pagesOf("id", (after) =>
    db.selectFrom("events").select(columns).where("user_id", "=", userId)
      .where("id", ">", after).orderBy("id").limit(PAGE_ROWS).execute());
  for await (const rows of pages) {
    yield rows.map((row) => {
      const { userAgent, clientAddress } = clientForOwner(row);
      return {
        id: row.id,
        kind: row.kind,
        createdAt: unixSeconds(row.created_at),
        sessionId: row.session_public_id,
        device: userAgent,
        clientAddress,
        details: detailsForOwner(row),
      };
    });
  }
}

/** Exports what the user did to other accounts, without a word about these. */
export async function* exportActions(db: Db, userId: string): Pages<"actions"> {
  // The condition is that of an index, which skips what the user did to their own account.
  const pages = pagesOf(
    "id",
    (after) =>
      db.selectFrom("events").select(["id", "kind", "created_at"]).where("actor_id", "=", userId)
        .whereRef("user_id", "is distinct from", "actor_id")
        .where("id", ">", after).orderBy("id").limit(PAGE_ROWS).execute(),
  );
  for await (const rows of pages) {
    yield rows.map(({ id, kind, created_at }) => ({ id, kind, createdAt: unixSeconds(created_at) }));
  }
}

/** Exports the uploads of a user. */
export async function* exportUploads(services: Services, userId: string): Pages<"uploads"> {
  for await (const uploads of uploadPagesOf(services, userId)) {
    yield uploads.map((upload) => uploadView(services, upload));
  }
}
