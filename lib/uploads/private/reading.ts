import { AppError } from "../../errors/errors.ts";
import type { OpenObject } from "../../services/object_store.ts";
import type { Services } from "../../services/services.ts";
import { findUploadByKey, type Upload } from "../upload.ts";
import { verifyLink } from "./link_token.ts";

/** Who asks for a private file: a user, or anyone with the text of a link. */
export type Reader = { userId: string } | { link: string };

/** A private file, opened for someone who may read it. */
export interface PrivateFile {
  upload: Upload;
  /** Null if the store serves its objects itself: then its `presignGet` leads there. */
  object: OpenObject | null;
  /** Whether browsers save it in place of showing it, whatever its type is. */
  isDownload: boolean;
}

/** The characters of our keys. A database refuses some others. */
const KEY = /^[\w./-]{1,1024}$/;

/**
 * Opens a private file for its owner or for someone with a link that works. Admins are like everyone else. Says nothing
 * about why it opens no file, and takes as long for one that exists as for one that does not.
 *
 * @throws {AppError} NOT_FOUND. Source: docs/rules.md, Private files.
 */
export async function openPrivateFile(
  services: Services,
  { key, reader }: { key: string; reader: Reader | null },
): Promise<PrivateFile> {
  const upload = reader === null || !KEY.test(key) ? null : await findUploadByKey(services.db, key);
  const permit = reader && await findPermit(services, { key, upload, reader });
  const object = permit && await services.objects.open(key);
  const isServedByStore = services.objects.presignGet !== undefined;
  if (permit === null || object === null && !isServedByStore) {
    throw new AppError("NOT_FOUND", { reason: reader !== null && "link" in reader ? "link" : "file" });
  }
  return { ...permit, object };
}

type Permit = Omit<PrivateFile, "object">;

async function findPermit(
  services: Services,
  { key, upload, reader }: { key: string; upload: Upload | null; reader: Reader },
): Promise<Permit | null> {
  // Before the row is looked at: the time must not show whether there is one.
  const terms = "link" in reader
    ? await verifyLink(services, reader.link, { key, linkNumber: upload?.linkNumber ?? 0 })
    : null;
  if (upload === null || upload.userId === null || upload.state !== "stored") return null;
  if ("link" in reader) return terms && { upload, isDownload: terms.download };
  return upload.userId === reader.userId ? { upload, isDownload: false } : null;
}
