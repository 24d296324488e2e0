import { hasUploads, type UploadsSetting } from "../config/uploads_setting.ts";

/**
 * The keys of private objects begin with this, and no others do. Only their owner and those with a link may read them.
 */
export const PRIVATE_PREFIX = "private/";

/** The keys of profile photos begin with this. */
const PHOTO_PREFIX = "images/avatar/";

/** Whether UPLOADS lets anyone read the object with this key. */
export function isServed(config: UploadsSetting, key: string): boolean {
  return hasUploads(config, key.startsWith(PHOTO_PREFIX) ? "photos" : "files");
}

/** The metadata of a stored object. */
export interface StoredObject {
  contentType: string;
  sizeBytes: number;
  /** A strong entity tag, including its quotation marks. It changes with the content. */
  etag: string;
  /** The time of the last change, with a precision of one second. */
  modifiedAt: Date;
}

/** An object in a listing. */
export interface ListedObject extends Pick<StoredObject, "sizeBytes" | "modifiedAt"> {
  key: string;
}

/** What {@linkcode ObjectStore.tidy} did. */
export interface Tidied {
  convertedObjects: number;
  /** Objects that could not be converted. They are still readable. */
  failedKeys: string[];
  /** The key after which to continue. Null after the last object. */
  next: string | null;
}

/** A range of bytes. It includes both ends, as in a Range header. */
export interface ByteRange {
  start: number;
  end: number;
}

/** A stored object, opened for reading. It does not change while it is read. Stream it once, or close it. */
export interface OpenObject extends StoredObject {
  /** Streams the object, or a range of it. Closes the object at the end of the stream or when it is canceled. */
  stream(range?: ByteRange): ReadableStream<Uint8Array<ArrayBuffer>>;
  close(): void;
}

/** An object to store. */
export interface NewObject {
  key: string;
  bytes: Uint8Array<ArrayBuffer>;
  contentType: string;
}

/** The upload that a presigned URL permits: exactly this key, this content type and, if given, this size. */
export interface UploadGrant {
  key: string;
  contentType: string;
  sizeBytes?: number;
}

/** What a presigned URL permits to read, and the headers with which the store sends it. */
export interface ReadGrant {
  method: "GET" | "HEAD";
  contentType: string;
  /** The value of Content-Disposition. */
  disposition: string;
  expiresInSeconds: number;
}

/**
 * What an attempt to read a private object without a signature has shown: it was refused, it succeeded at this address,
 * or nothing, because the store did not answer.
 */
export type PrivateProbe =
  & ({ result: "closed" } | { result: "readable"; address: string } | {
    result: "unknown";
    cause: unknown;
  })
  & {
    /** Why the object of the attempt, or an older one, could not be deleted. */
    leftBehind?: unknown;
  };

/** An upload to a presigned URL of our own. Nothing in it has been checked. */
export interface IncomingUpload {
  key: string;
  contentType: string;
  /** The query of the URL. */
  query: URLSearchParams;
  /** The Content-Length; undefined if the client did not send one. */
  announcedBytes?: number;
  content: AsyncIterable<Uint8Array<ArrayBuffer>>;
}

/** Received content that has no key yet. Disposing of it discards the content unless it has been stored. */
export interface StagedObject extends AsyncDisposable {
  sizeBytes: number;
  /** The hash of the content, in hexadecimal. */
  sha256: string;
  /** Stores the content as an object. Replaces an existing one. Call it at most once. */
  store(key: string, contentType: string): Promise<void>;
}

/**
 * The store of uploaded files: a folder or an S3-compatible bucket. The methods that access it throw UNAVAILABLE if
 * that is not possible at the moment.
 */
export interface ObjectStore {
  /** Returns the id of the store. Instances whose stores have the same id see the same objects. */
  identify(): Promise<string>;
  /** Throws if no object can be stored at the moment. Leaves nothing behind. */
  check(): Promise<void>;
  /**
   * Returns a URL with which anyone can PUT the object until it expires. As with S3, it can be used more than once, so
   * that an interrupted upload can be repeated. Each upload replaces the one before.
   *
   * @throws {AppError} UNAVAILABLE for a private object unless the last {@linkcode probePrivate} that showed anything
   * was refused.
   */
  presignPut(grant: UploadGrant, expiresInSeconds: number): Promise<string>;
  /**
   * Stores an upload to a presigned URL at /files: the whole object or nothing.
   *
   * @throws {AppError} FORBIDDEN if the URL does not permit this upload, PAYLOAD_TOO_LARGE, UPLOAD_IN_PROGRESS while
   * another upload of the object arrives, or NOT_FOUND if clients upload to the store directly.
   */
  putPresigned(upload: IncomingUpload): Promise<void>;
  /** Stores the whole object or nothing. Replaces an existing object. Returns its entity tag. */
  put(key: string, bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<string>;
  /**
   * Stores objects with different keys one after another: if one can be read, those before it can, too, even if the
   * process is killed. Each is stored whole or not at all; after an error, the first ones may be stored. Returns their
   * entity tags.
   */
  putAll(objects: NewObject[]): Promise<string[]>;
  /**
   * Receives content whose key is not known yet. If the content is incomplete, nothing is kept.
   *
   * @throws any error that `content` throws.
   */
  stage(content: AsyncIterable<Uint8Array<ArrayBuffer>>): Promise<StagedObject>;
  /** Returns the metadata of an object, or null if it does not exist. */
  head(key: string): Promise<StoredObject | null>;
  /**
   * Returns the first bytes of an object, at most `maxBytes`, with its metadata, or null if it does not exist. Both are
   * of one version: an upload at the same time cannot mix them.
   */
  readStart(
    key: string,
    maxBytes: number,
  ): Promise<{ bytes: Uint8Array<ArrayBuffer>; object: StoredObject } | null>;
  /**
   * Returns a URL with which anyone can read the object until it expires. Only a store that serves its objects itself
   * has this method. The object may be missing.
   */
  presignGet?(key: string, grant: ReadGrant): Promise<string>;
  /**
   * Writes a private object, tries to read it without a signature, and deletes it. Also deletes those that a killed
   * process has left. Never throws. Only a store that serves its objects itself has this method.
   */
  probePrivate?(): Promise<PrivateProbe>;
  /**
   * Opens an object for /files. Returns null for a missing object, and always if the store serves its objects itself.
   */
  open(key: string): Promise<OpenObject | null>;
  /**
   * Deletes the object if it exists and, if `etag` is given, only if that is still its entity tag. With `etag`, the
   * disk store and buckets that support If-Match decide atomically. Other buckets ignore it: an upload that ends
   * between the comparison and the deletion, a few milliseconds, is deleted too.
   */
  delete(key: string, condition?: { etag: string }): Promise<void>;
  /**
   * Lists the objects whose keys start with `prefix`, in the order of their keys, from the first one after `after`.
   * Objects that are stored or deleted meanwhile may or may not be listed; all others are listed exactly once. In a
   * bucket that is used for other things too, the list contains their objects.
   */
  list(options?: { prefix?: string; after?: string }): AsyncIterable<ListedObject>;
  /**
   * Looks at `maxObjects` objects after `after`, and converts those that version 0.1.0 stored in another form. Any
   * number of processes may do this while others read and write. A killed process leaves nothing half-done. Does
   * nothing for a bucket.
   */
  tidy(options: { after?: string; maxObjects: number }): Promise<Tidied>;
  /** Returns the absolute URL at which anyone can read the object or, if it is private, those who may read it. */
  publicUrl(key: string): string;
}
