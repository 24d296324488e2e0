import { sql, type Transaction } from "kysely";
import type { AtCommit } from "../../../db/at_commit.ts";
import type { Database, Db } from "../../../db/schema.ts";
import { type AccountEvent, recordEvent } from "../../activity/events.ts";
import { secondsAfter, unixSeconds } from "../../duration.ts";
import { AppError, validationFailed } from "../../errors/errors.ts";
import { PRIVATE_PREFIX } from "../../services/object_store.ts";
import { PAGE_ROWS, pagesOf } from "../../../db/row_pages.ts";
import type { LinkView } from "../schema.ts";
import type { Services } from "../../services/services.ts";
import { uploadDetails } from "../events.ts";
import { visibilityOf } from "../object_key.ts";
import { findUpload, type Upload } from "../upload.ts";
import { type LinkTerms, sealLink } from "./link_token.ts";

/** Whose file it is, and who acts, as the event names them. */
export interface LinkAct {
  /** The id of the upload. It need not be well-formed. */
  id: string;
  /** The owner of the file, and the client and session or token that acts: what `eventBy` returns. */
  by: Pick<AccountEvent, "userId" | "client" | "sessionId" | "tokenId">;
  /**
   * Locks the row of the owner, and throws if the caller may no longer act. So no request that began before access
   * ended makes a link that still works.
   */
  lock(trx: Transaction<Database>, now: Date): Promise<unknown>;
}

/** A link to a private file. */
export interface Link {
  url: string;
  expiresAt: Date;
}

/**
 * Makes a link with which everyone can read a private file until it expires.
 *
 * @throws {AppError} NOT_FOUND for an unknown upload and for one of another user; NOT_UPLOADED; VALIDATION_FAILED for a
 * public file; what `lock` throws.
 */
export async function makeLink(
  services: Services,
  { id, by, lock, expiresInSeconds, download }: LinkAct & { expiresInSeconds: number; download: boolean },
  atCommit?: AtCommit<Link>,
): Promise<Link> {
  const now = services.now();
  const expiresAt = secondsAfter(now, expiresInSeconds);
  return await services.db.transaction().execute(async (trx) => {
    await lock(trx, now);
    const upload = await findUpload(trx, { id, userId: by.userId });
    const link = await linkTo(services, upload, { expiresAt, download });
    await recordEvent(trx, { ...by, kind: "upload.linked", details: uploadDetails(upload!) }, now);
    await atCommit?.(trx, link);
    return link;
  });
}

/**
 * Returns a link to a private file that is stored. The caller holds the lock of its owner.
 *
 * @throws {AppError} NOT_FOUND if there is no upload; NOT_UPLOADED; VALIDATION_FAILED for a public file.
 */
export async function linkTo(services: Services, upload: Upload | null, terms: LinkTerms): Promise<Link> {
  const { key, state, linkNumber } = requirePrivate(upload);
  if (state !== "stored") throw new AppError("NOT_UPLOADED", { reason: state === "pending" ? "nothing" : "refused" });
  const url = new URL(services.objects.publicUrl(key));
  url.searchParams.set("link", await sealLink(services, { key, linkNumber }, terms));
  return { url: url.href, expiresAt: terms.expiresAt };
}

/**
 * Revokes every link to a private file that was made so far. Does no harm if there is none.
 *
 * @throws {AppError} NOT_FOUND for an unknown upload and for one of another user; VALIDATION_FAILED for a public file;
 * what `lock` throws.
 */
export async function revokeLinks(services: Services, { id, by, lock }: LinkAct): Promise<void> {
  const now = services.now();
  await services.db.transaction().execute(async (trx) => {
    await lock(trx, now);
    const upload = requirePrivate(await findUpload(trx, { id, userId: by.userId }));
    await trx.updateTable("uploads").set({ link_number: NEXT_NUMBER }).where("id", "=", id).execute();
    await recordEvent(trx, { ...by, kind: "upload.links_revoked", details: uploadDetails(upload) }, now);
  });
}

/** Whether a row is that of a private file. */
export const isPrivate = sql<boolean>`starts_with(key, ${PRIVATE_PREFIX})`;

/** The value that revokes the links to a file. */
export const NEXT_NUMBER = sql<number>`link_number + 1`;

/**
 * Revokes all links to the files of a user, whose lock the caller holds. They stay dead, whatever happens to the
 * account: nothing lowers the number.
 */
export async function killLinksOf(trx: Transaction<Database>, userId: string): Promise<void> {
  await trx.updateTable("uploads").set({ link_number: NEXT_NUMBER }).where("user_id", "=", userId).where(isPrivate)
    .execute();
}

/** The largest number of a row that is not counted from 0. Enough is left above it for revocations. */
const MAX_FRESH_NUMBER = 2 ** 30;

/**
 * Returns a number for a row that takes the place of one whose number is not known. Counting from 0 could bring links
 * back to life that were revoked.
 */
export function freshNumber(): number {
  return 1 + crypto.getRandomValues(new Uint32Array(1))[0] % MAX_FRESH_NUMBER;
}

/** Revokes all links to the files of everyone, also after a restore, whose rows have the numbers of the past. */
export async function killAllLinks(db: Db): Promise<void> {
  const pages = pagesOf(
    "id",
    (after) =>
      db.selectFrom("uploads").select("id").where(isPrivate).where("id", ">", after).orderBy("id").limit(PAGE_ROWS)
        .execute(),
  );
  for await (const rows of pages) {
    await db.updateTable("uploads").set({ link_number: sql`1 + floor(random() * ${MAX_FRESH_NUMBER})` })
      .where("id", "in", rows.map(({ id }) => id)).execute();
  }
}

/** The API's view of a link. */
export function linkView({ url, expiresAt }: Link): { data: LinkView } {
  return { data: { url, expiresAt: unixSeconds(expiresAt) } };
}

function requirePrivate(upload: Upload | null): Upload {
  if (upload === null) throw new AppError("NOT_FOUND", { reason: "upload" });
  if (visibilityOf(upload.key) === "private") return upload;
  throw validationFailed({ visibility: [{ rule: "oneOf", values: ["private"] }] });
}
