import { sql } from "kysely";
import type { Db } from "../../db/schema.ts";
import { usersShowing } from "./shown_photo.ts";
import type { Services } from "../services/services.ts";
import { type DueAction, dueActionOf } from "./due_uploads.ts";
import { ownObjects, previewStoreSweep, surveyStore } from "./store_sweep.ts";
import { type Upload, UPLOAD_COLUMNS, uploadOfRow } from "./upload.ts";

/** Keys that a report names for each kind of finding. It counts all of them. */
const MAX_EXAMPLES = 20;
const PAGE_ROWS = 500;

/** The objects or rows of one kind, in memory that does not grow with their number. */
interface Finding {
  count: number;
  bytes: number;
  /** The first keys. */
  keys: string[];
}

const DUE_TEXTS: Record<Exclude<DueAction, "delete unless shown" | "keep">, string> = {
  delete: "will be deleted: they were deleted or refused, their user is gone, or no profile shows the replaced photo",
  refuse: "will be deleted: no one confirmed them",
  check: "will be checked, and deleted if they are not what was declared",
  forget: "will be forgotten: nothing was uploaded",
  measure: "have a URL that has expired: the space that they do not use will be released",
};
const STRAY_TEXTS = {
  delete: "will be deleted: no row and no user claims them",
  adopt: "will get a row: they are from before objects had rows",
  keep: "will be kept: they are from before objects had rows, and nothing shows whose they are",
};

const FOREIGN_TEXT =
  "  None of these will be changed: most objects are unknown to this database, which is probably not " +
  "the one of this store";

/** Reports what the sweeps of uploads would do now, and which objects are missing. Changes nothing. */
export async function reportUploads(services: Services): Promise<{ text: string; value: unknown }> {
  const due = new Map<string, Finding>();
  for await (const upload of dueUploads(services)) {
    const action = await certainAction(services, upload);
    if (action !== "keep") add(due, action, { key: upload.key, sizeBytes: upload.bytes });
  }
  const strays = new Map<string, Finding>();
  for await (const { object, action } of previewStoreSweep(services)) add(strays, action, object);
  const { isForeign } = await surveyStore(services, { isLeased: false });
  const missing = new Map<string, Finding>();
  for await (const { key, bytes } of missingObjects(services)) add(missing, "missing", { key, sizeBytes: bytes });
  return {
    value: {
      due: Object.fromEntries(due),
      strays: Object.fromEntries(strays),
      isForeign,
      ...Object.fromEntries(missing),
    },
    text: [
      ...section("Uploads that are due", due, DUE_TEXTS),
      ...section("Objects without a row", strays, STRAY_TEXTS),
      ...isForeign ? [FOREIGN_TEXT] : [],
      ...section("Rows without an object", missing, { missing: "are missing in the store; their rows will be kept" }),
    ].join("\n"),
  };
}

/** Lets the next sweep of the store delete objects without a row, even if they are most. It holds for one sweep. */
export async function allowDeletionOfMost(db: Db): Promise<void> {
  await db.updateTable("store_sweep").set({ may_delete_most: true }).execute();
}

function add(findings: Map<string, Finding>, kind: string, { key, sizeBytes }: { key: string; sizeBytes: number }) {
  const { count, bytes, keys } = findings.get(kind) ?? { count: 0, bytes: 0, keys: [] };
  const examples = keys.length < MAX_EXAMPLES ? [...keys, key] : keys;
  findings.set(kind, { count: count + 1, bytes: bytes + sizeBytes, keys: examples });
}

function section(title: string, findings: Map<string, Finding>, texts: Record<string, string>): string[] {
  const lines = [...findings].flatMap(([kind, { count, bytes, keys }]) => [
    `  ${count} (${bytes} bytes) ${texts[kind]}`,
    ...keys.map((key) => `    ${key}`),
    ...count > keys.length ? [`    and ${count - keys.length} more`] : [],
  ]);
  return lines.length === 0 ? [`${title}: none`] : [`${title}:`, ...lines];
}

async function certainAction(services: Services, upload: Upload): Promise<DueAction> {
  const action = await dueActionOf(services, upload);
  if (action !== "delete unless shown") return action;
  return (await usersShowing(services.db, upload.key)).length === 0 ? "delete" : "keep";
}

async function* dueUploads({ db, databaseTime }: Services): AsyncGenerator<Upload> {
  for (let after = "";;) {
    const rows = await db.selectFrom("uploads").select(UPLOAD_COLUMNS).where("id", ">", after)
      .where((where) =>
        where.or([
          where("check_at", "<=", databaseTime()),
          where.and([where("user_id", "is", null), where("state", "<>", "removing")]),
        ])
      ).orderBy("id").limit(PAGE_ROWS).execute();
    yield* rows.map(uploadOfRow);
    if (rows.length < PAGE_ROWS) return;
    after = rows.at(-1)!.id;
  }
}

/** Merges the rows with the list of the store, because both are in the order of their keys. */
async function* missingObjects(services: Services): AsyncGenerator<Upload> {
  const listed = ownObjects(services.objects);
  let current = await listed.next();
  for await (const upload of storedUploads(services)) {
    while (!current.done && current.value.key < upload.key) current = await listed.next();
    const isListed = !current.done && current.value.key === upload.key;
    // It may have been stored since the list was read.
    if (!isListed && await services.objects.head(upload.key) === null) yield upload;
  }
}

async function* storedUploads({ db }: Services): AsyncGenerator<Upload> {
  const key = sql<string>`key collate "C"`;
  for (let after = "";;) {
    const rows = await db.selectFrom("uploads").select(UPLOAD_COLUMNS).where(key, ">", after)
      .where("state", "=", "stored").orderBy(key).limit(PAGE_ROWS).execute();
    yield* rows.map(uploadOfRow);
    if (rows.length < PAGE_ROWS) return;
    after = rows.at(-1)!.key;
  }
}
