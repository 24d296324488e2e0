import type { Config } from "./config.ts";
import type { Log } from "./log.ts";
import type { DatabaseTime, Db } from "../db/schema.ts";

/** Everything the domain depends on; built once, in main.ts. */
export interface Services {
  config: Config;
  db: Db;
  log: Log;
  mail: MailTransport;
  objects: ObjectStore;
  images: ImageConverter;
  /** Null where none is configured. */
  idp: IdentityProvider | null;
  /** Wakes the mail worker of this process once a mail has been committed. */
  outboxSignal: WakeSignal;
  /** The current time. Tests set their own clock. */
  now(): Date;
  /** The time that leases and claims use, because all instances share it while their own clocks may differ. */
  databaseTime: DatabaseTime;
}

/** Lets one waiter be woken early. */
export interface WakeSignal {
  wake(): void;
  /** Resolves at the next wake, at once if one came since the last wait, or after the given time. */
  wait(milliseconds: number): Promise<void>;
}

/** A mail as the delivery service takes it. */
export interface Mail {
  to: string;
  subject: string;
  html: string;
  text: string;
}

/** Delivers one mail. */
export interface MailTransport {
  /**
   * Resolves once the mail is accepted for delivery.
   *
   * @param idempotencyKey the same at every retry of the same mail.
   * @throws {DeliveryError} when it is not; anything else thrown counts as passing.
   */
  send(mail: Mail, idempotencyKey: string): Promise<void>;
  /** Lists the emails so far, newest first. Only transports that keep emails on this machine have this method. */
  listMails?(): Promise<StoredMail[]>;
}

/** An email in the development mail folder. */
export interface StoredMail extends Pick<Mail, "to" | "subject" | "text"> {
  storedAt: Date;
}

/** A stored object, as HEAD would tell it. */
export interface StoredObject {
  contentType: string;
  sizeBytes: number;
}

/** Both ends count, as in a Range header. */
export interface ByteRange {
  start: number;
  end: number;
}

/** A stored object that stays the same while it is read. To be streamed once, or closed. */
export interface OpenObject extends StoredObject {
  /** A strong entity tag, in its quotes. */
  etag: string;
  /** The bytes, or those of the range; closes the object at the end or when it is cancelled. */
  stream(range?: ByteRange): ReadableStream<Uint8Array<ArrayBuffer>>;
  close(): void;
}

/** What a presigned URL admits: this key, exactly this content type and, where it is given, exactly this size. */
export interface UploadGrant {
  key: string;
  contentType: string;
  sizeBytes?: number;
}

/** An upload as it comes to a presigned URL of our own: nothing of it is checked yet. */
export interface IncomingUpload {
  key: string;
  contentType: string;
  /** Of the URL. */
  query: URLSearchParams;
  /** Undefined where the sender did not say. */
  announcedBytes?: number;
  content: AsyncIterable<Uint8Array<ArrayBuffer>>;
}

/** Content that has arrived but has no key yet. Disposing of it discards the content unless it has been stored. */
export interface StagedObject extends AsyncDisposable {
  sizeBytes: number;
  /** Of the content, in hexadecimal. */
  sha256: string;
  /** Stores the object, once; an existing key is replaced. */
  store(key: string, contentType: string): Promise<void>;
}

/** Where uploaded files are stored: a folder or an S3-compatible bucket. */
export interface ObjectStore {
  /**
   * A URL to which whoever has it may PUT the object until it expires. As with S3 more than once, each time replacing
   * what is there: an upload that broke can be sent again.
   */
  presignPut(grant: UploadGrant, expiresInSeconds: number): Promise<string>;
  /**
   * Stores what came to a presigned URL at /files, the whole object or nothing.
   *
   * @throws {AppError} FORBIDDEN when the URL does not admit it, PAYLOAD_TOO_LARGE, UNAVAILABLE, and NOT_FOUND where the
   * store itself takes the uploads.
   */
  putPresigned(upload: IncomingUpload): Promise<void>;
  /**
   * Stores the whole object or nothing; an existing key is replaced.
   *
   * @throws {AppError} UNAVAILABLE when the store cannot take it now, here and in the calls below.
   */
  put(key: string, bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<void>;
  /**
   * Takes content as it arrives, whose key is known only later. If the content breaks off, nothing is kept.
   *
   * @throws {AppError} UNAVAILABLE, and whatever `content` throws.
   */
  stage(content: AsyncIterable<Uint8Array<ArrayBuffer>>): Promise<StagedObject>;
  /** Null where there is no such object. */
  head(key: string): Promise<StoredObject | null>;
  /** Opens an object for /files; null where there is none, and always where the store itself serves its objects. */
  open(key: string): Promise<OpenObject | null>;
  /** Deleting what is not there is no error. */
  delete(key: string): Promise<void>;
  /** The absolute address at which anybody may read the object. */
  publicUrl(key: string): string;
}

/** An image as stored. */
export interface WebpImage {
  bytes: Uint8Array<ArrayBuffer>;
  width: number;
  height: number;
}

/** The image formats that may be uploaded. Source: spec, Upload rule 2. */
export type ImageContentType = "image/jpeg" | "image/png" | "image/webp" | "image/gif";

/** Turns an uploaded image into the one that is stored. */
export interface ImageConverter {
  /**
   * Orients the image, fits it into a square of `maxDimension` pixels without enlarging it and encodes it as
   * WebP without metadata; of an animation the first frame. Runs off the event loop, at most as many at a time
   * as there are cores.
   *
   * @throws {AppError} IMAGE_INVALID when it cannot be decoded, is not of `contentType`, is larger than the
   * configuration allows or would take its decoder too long; UNAVAILABLE when too many images are waiting.
   */
  toWebp(
    bytes: Uint8Array<ArrayBuffer>,
    options: { contentType: ImageContentType; maxDimension: number },
  ): Promise<WebpImage>;
}

/** What a browser keeps of a sign-in while its person is at the provider. */
export interface SignInAttempt {
  state: string;
  codeVerifier: string;
  /** Null where the provider speaks no OpenID Connect. */
  nonce: string | null;
}

/** With what a browser comes back from the provider. */
export interface SignInResponse {
  parameters: URLSearchParams;
  attempt: SignInAttempt;
}

/** A person as the identity provider knows them; nothing of it but the subject has been checked. */
export interface IdpIdentity {
  /** Unique among all persons of all providers: issuer and subject. */
  subject: string;
  email: string | null;
  emailVerified: boolean;
  name: string | null;
  picture: string | null;
}

/** Signs people in by the authorization code flow. */
export interface IdentityProvider {
  /**
   * Resolves within 5 seconds with the address of the consent screen.
   *
   * @throws {IdpError} idp_failed.
   */
  startSignIn(): Promise<{ url: string; attempt: SignInAttempt }>;
  /**
   * Resolves within 10 seconds with the person who signed in.
   *
   * @throws {IdpError} idp_failed.
   */
  finishSignIn(response: SignInResponse): Promise<IdpIdentity>;
}
