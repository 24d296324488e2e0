import { sql, type Transaction } from "kysely";
import type { Database } from "../../db/schema.ts";
import { lockUser } from "../users/user_lock.ts";
import type { User } from "../users/user_row.ts";
import { AppError } from "../errors/errors.ts";
import { PAGE_ROWS, pagesOf } from "../../db/row_pages.ts";
import { MINUTE_SECONDS } from "../duration.ts";
import { IMAGE_CONTENT_TYPES, IMAGE_MAX_BYTES } from "./rules.ts";
import { cursorOfId, Id, type ListQuery } from "../schemas/list.ts";
import type { Visibility } from "./schema.ts";
import type { Services } from "../services/services.ts";
import { visibilityOf } from "./object_key.ts";
import { isPrivate, NEXT_NUMBER } from "./private/links.ts";
import { quotaBytesOf, usedBytes } from "./quota.ts";
import { isProfilePhoto, storedAvatarKey } from "./shown_photo.ts";
import { type Deletion, markDeleted, removeObject } from "./removal.ts";
import {
  type Actor,
  ARRIVAL_SECONDS,
  findUpload,
  sizeOf,
  stateOf,
  type Upload,
  UPLOAD_COLUMNS,
  uploadOfRow,
  type UploadStatus,
} from "./upload.ts";

/** How long a discarded file can be restored. */
export const UNDO_MINUTES = 5;

interface UploadQuery extends ListQuery {
  userId: string;
  status?: UploadStatus;
  visibility?: Visibility;
  /** A part of the file names; empty for all. */
  name?: string;
}

/**
 * Lists the uploads of a user, newest first: all, those in one status or of one visibility, or by name. It is one range
 * scan of an index.
 */
export async function listUploads(
  { db }: Pick<Services, "db">,
  { userId, limit, cursor, status, visibility, name = "" }: UploadQuery,
): Promise<{ uploads: Upload[]; nextCursor: string | null }> {
  const rows = await db.selectFrom("uploads").select(UPLOAD_COLUMNS).where("user_id", "=", userId)
    .where("deleted_at", "is", null)
    .$if(status !== undefined, (query) => query.where("state", "=", stateOf(status!)))
    .$if(visibility !== undefined, (query) => query.where(isPrivate, "=", visibility === "private"))
    .$if(cursor !== undefined, (query) => query.where("id", "<", cursor!))
    .$if(name !== "", (query) => query.where(sql<boolean>`position(lower(${name}) in lower(filename)) > 0`))
    .orderBy("id", "desc").limit(limit + 1).execute();
  const uploads = rows.slice(0, limit).map(uploadOfRow);
  return { uploads, nextCursor: rows.length > limit ? cursorOfId(uploads.at(-1)!.id) : null };
}

/** Files on a page of the library. */
const LIBRARY_PAGE_SIZE = 24;
/** How many discarded files the page names. It counts all of them. */
const DISCARDED_NAMES_MAX = 10;
/**
 * The largest images that are shown as their own thumbnails. No browser keeps a private one, so each visit loads all of
 * it again.
 */
const THUMBNAIL_MAX_BYTES: Record<Visibility, number> = { public: IMAGE_MAX_BYTES, private: 512 * 1024 };

/** Files that can be restored: the names of the newest, and the number of all. */
export interface DiscardedFiles {
  names: string[];
  count: number;
}

/** A stored file, as its owner sees it. */
export interface LibraryFile {
  id: string;
  name: string;
  url: string;
  contentType: string;
  /** The address of an image of the file, if there is one. */
  thumbnail: string | null;
  visibility: Visibility;
  bytes: number;
  createdAt: Date;
  /** Whether the owner's profile shows it. */
  isProfilePhoto: boolean;
}

/** Returns a page of a user's stored files, the names of those that can be restored, and the space that all take. */
export async function findLibrary(
  { db, objects, config }: Services,
  { user, cursor, name, visibility }: Pick<UploadQuery, "cursor" | "name" | "visibility"> & {
    user: Pick<User, "id" | "emailVerified" | "avatar">;
  },
): Promise<{
  files: LibraryFile[];
  nextCursor: string | null;
  discarded: DiscardedFiles;
  usedBytes: number;
  quotaBytes: number;
  hasMoreOnceConfirmed: boolean;
}> {
  const userId = user.id;
  const quotaBytes = quotaBytesOf(config, user.emailVerified);
  const query = { userId, cursor, name, visibility, limit: LIBRARY_PAGE_SIZE, status: "stored" as const };
  const { uploads, nextCursor } = await listUploads({ db }, query);
  const discarded = await db.selectFrom("uploads").select([
    "filename",
    sql<number>`(count(*) over ())::int`.as("count"),
  ])
    .where("user_id", "=", userId).where("state", "=", "discarded")
    .orderBy("id", "desc").limit(DISCARDED_NAMES_MAX).execute();
  return {
    files: uploads.map((upload) => libraryFileOf({ objects }, upload, storedAvatarKey(user.avatar ?? ""))),
    nextCursor,
    discarded: { names: discarded.map(({ filename }) => filename), count: discarded[0]?.count ?? 0 },
    usedBytes: await usedBytes(db, userId),
    quotaBytes,
    hasMoreOnceConfirmed: quotaBytes !== quotaBytesOf(config, true),
  };
}

/** Returns a user's newest stored files. */
export async function findNewestFiles(
  { db, objects }: Pick<Services, "db" | "objects">,
  { user, limit }: { user: Pick<User, "id" | "avatar">; limit: number },
): Promise<LibraryFile[]> {
  const { uploads } = await listUploads({ db }, { userId: user.id, limit, status: "stored" });
  return uploads.map((upload) => libraryFileOf({ objects }, upload, storedAvatarKey(user.avatar ?? "")));
}

/**
 * Returns a stored private file of a user.
 *
 * @throws {AppError} NOT_FOUND for an unknown or public one, and for one that is not stored or is another user's.
 */
export async function getPrivateFile(
  { db, objects }: Pick<Services, "db" | "objects">,
  { id, userId }: { id: string; userId: string },
): Promise<LibraryFile> {
  const upload = await findUpload(db, { id, userId });
  if (upload?.state !== "stored" || visibilityOf(upload.key) !== "private") {
    throw new AppError("NOT_FOUND", { reason: "upload" });
  }
  return libraryFileOf({ objects }, upload, null);
}

function libraryFileOf(
  { objects }: Pick<Services, "objects">,
  upload: Upload,
  photoKey: string | null,
): LibraryFile {
  const { id, key, filename: name, contentType, createdAt } = upload;
  const bytes = sizeOf(upload) ?? 0;
  const url = objects.publicUrl(key);
  const visibility = visibilityOf(key);
  const isShown = IMAGE_CONTENT_TYPES.includes(contentType) && bytes <= THUMBNAIL_MAX_BYTES[visibility];
  const thumbnail = isShown ? url : null;
  return {
    id,
    name,
    url,
    contentType,
    thumbnail,
    visibility,
    bytes,
    createdAt,
    isProfilePhoto: key === photoKey,
  };
}

/**
 * Deletes an upload and its object at once, in the bucket too.
 *
 * @throws {AppError} NOT_FOUND for an unknown upload and for one of another user; UNAVAILABLE if the store does not
 * respond: the sweep deletes the object later.
 */
export async function deleteUpload(
  services: Services,
  { id, userId, tokenId }: { id: string; userId: string } & Actor,
): Promise<void> {
  const [upload] = Id.safeParse(id).success ? await lockAndMarkDeleted(services, { userId, ids: [id], tokenId }) : [];
  if (upload === undefined) throw new AppError("NOT_FOUND", { reason: "upload" });
  await removeObject(services, upload);
}

/**
 * Deletes all uploads of a user and their objects. The caller must have ended the user's access: an upload that begins
 * meanwhile may be missed.
 *
 * @throws {AppError} UNAVAILABLE if the store does not respond. Call it again: it continues.
 */
export async function deleteUploadsOf(services: Services, userId: string): Promise<void> {
  for await (const uploads of uploadPagesOf(services, userId)) {
    for (const upload of await lockAndMarkDeleted(services, { userId, ids: uploads.map(({ id }) => id) })) {
      await removeObject(services, upload);
    }
  }
}

/** Lists all uploads of a user, oldest first. Includes discarded files. */
export async function* uploadsOf(services: Pick<Services, "db">, userId: string): AsyncGenerator<Upload> {
  for await (const uploads of uploadPagesOf(services, userId)) yield* uploads;
}

/** Lists all uploads of a user, as {@linkcode uploadsOf} does, in pages. */
export async function* uploadPagesOf(
  { db }: Pick<Services, "db">,
  userId: string,
): AsyncGenerator<Upload[]> {
  const pages = pagesOf("id", (after) =>
    db.selectFrom("uploads").select(UPLOAD_COLUMNS).where("user_id", "=", userId)
      .where("id", ">", after).orderBy("id").limit(PAGE_ROWS).execute());
  for await (const rows of pages) yield rows.map(uploadOfRow);
}

async function lockAndMarkDeleted(services: Services, deletion: Deletion): Promise<Upload[]> {
  return await underLock(services, deletion.userId, (trx) => markDeleted(trx, services, deletion));
}

/** Locks the user before the uploads, as everywhere: otherwise two changes of several uploads could deadlock. */
function underLock<T>({ db }: Services, userId: string, change: (trx: Transaction<Database>) => Promise<T>) {
  return db.transaction().execute((trx) => lockUser(trx, userId).then(() => change(trx)));
}

/**
 * Hides files and deletes them after {@linkcode UNDO_MINUTES}. Until then they can be restored, and the addresses of
 * public ones work. Links to private ones end for good: people delete a file to stop what a link allows. Ignores ids
 * that are not those of the user's stored files, and the photo of the profile, which would lose it.
 */
export async function discardUploads(services: Services, { userId, ids }: Pick<Deletion, "userId" | "ids">) {
  const check_at = services.databaseTime(UNDO_MINUTES * MINUTE_SECONDS);
  const discarded = { state: "discarded", link_number: NEXT_NUMBER, deleted_at: services.now(), check_at } as const;
  await underLock(services, userId, (trx) =>
    trx.updateTable("uploads").set(discarded)
      .where("user_id", "=", userId).where("id", "in", ids).where("state", "=", "stored")
      .where((eb) => eb.not(isProfilePhoto(eb))).execute());
}

/** Restores the discarded files of a user that the sweep has not deleted yet. */
export async function restoreUploads(services: Services, userId: string): Promise<void> {
  // A file may have been replaced through its URL meanwhile, so it is checked again.
  const check_at = sql<Date | null>`
    case when purpose = 'file' then greatest(expires_at + make_interval(secs => ${ARRIVAL_SECONDS}), ${services.databaseTime()}) end
  `;
  await underLock(
    services,
    userId,
    (trx) =>
      trx.updateTable("uploads").set({ state: "stored", deleted_at: null, check_at })
        .where("user_id", "=", userId).where("state", "=", "discarded").execute(),
  );
}
