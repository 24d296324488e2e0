import type { Config } from "../config/config.ts";
import type { IdentityProvider } from "./identity_provider.ts";
import type { Log } from "../log/log.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { ObjectStore } from "./object_store.ts";
import type { Language, Languages } from "../texts/texts.ts";
import type { DatabaseTime, Db, LongWork } from "../../db/schema.ts";

/** The dependencies of the domain. main.ts creates them once. */
export interface Services {
  config: Config;
  db: Db;
  longWork: LongWork;
  log: Log;
  metrics: Metrics;
  mail: MailTransport;
  webhooks: WebhookSender;
  /** Sends logout tokens to apps. They may have inside addresses, because the operator has registered them. */
  logouts: WebhookSender;
  objects: ObjectStore;
  images: ImageConverter;
  /** The identity providers by their keys. */
  providers: ReadonlyMap<string, IdentityProvider>;
  /** Null if none is configured. */
  breachedPasswords: BreachedPasswords | null;
  languages: Languages;
  /** The language that the request asks for; null outside of requests, and if it asks for none. */
  requestLanguage: Language | null;
  /** Wakes the mail worker of this process. `sendEmail` does so. */
  outboxSignal: WakeSignal;
  /** Wakes the worker that sends the webhooks of this process. */
  webhookSignal: WakeSignal;
  /** The step of `inEqualTime`. Tests of other rules shorten it. */
  equalTimeStepMs: number;
  /** Wakes the sweep of uploads of this process. `releaseAvatar` does so. */
  uploadSignal: WakeSignal;
  /** Returns the current time, by the database's clock as far as it is known. Tests set their own clock. */
  now(): Date;
  /** Moves this clock forward. Only for the tests of a product (APP_ENV=test). */
  forwardClock?(milliseconds: number): void;
  /** Returns the description of the API that the build has collected from the routes, as JSON. */
  describedApi(): Promise<string>;
  /** The clock for leases and claims: all instances share it to the millisecond. */
  databaseTime: DatabaseTime;
}

/** Wakes one waiting task early. */
export interface WakeSignal {
  wake(): void;
  /**
   * Resolves at the next `wake`, or after the given time. Resolves at once if `wake` was called since the last wait.
   */
  wait(milliseconds: number): Promise<void>;
}

/** An email to deliver. */
export interface Mail {
  to: string;
  subject: string;
  html: string;
  text: string;
}

/** Delivers emails. */
export interface MailTransport {
  /**
   * Resolves when the email has been accepted for delivery.
   *
   * @param idempotencyKey the same for every attempt to send this email.
   * @throws {DeliveryError} if the transport refuses it. After any error, the email is sent again later.
   */
  send(mail: Mail, idempotencyKey: string): Promise<void>;
  /**
   * Goes as far as it can without sending an email. Returns what it has tried. Only transports that deliver have this
   * method.
   *
   * @throws {DeliveryError} if no email could be sent.
   */
  tryOut?(): Promise<string>;
  /** Lists the emails so far, newest first. Only transports that keep emails on this machine have this method. */
  listMails?(): Promise<StoredMail[]>;
}

/** What a webhook sends. */
export interface WebhookMessage {
  headers: Record<string, string>;
  body: string;
}

/** Sends webhooks. */
export interface WebhookSender {
  /**
   * Resolves with the status when the receiver has accepted the message.
   *
   * @throws {DeliveryError} if it has not.
   */
  post(url: string, message: WebhookMessage): Promise<number>;
  /** Whether messages may be sent to a URL, as far as that is known now. Looks up the name of its host. */
  mayPost(url: string): Promise<boolean>;
}

/** An email in the development mail folder. */
export interface StoredMail extends Mail {
  storedAt: Date;
}

/** A converted image. */
export interface WebpImage {
  bytes: Uint8Array<ArrayBuffer>;
  width: number;
  height: number;
}

/** A converted image and its smaller copies, from the smallest to the largest. */
export interface ConvertedImage extends WebpImage {
  variants: WebpImage[];
}

/**
 * The part of an image that stays when it becomes a square: the top or the left, the center, the bottom or the right.
 */
export type ImageCrop = "start" | "center" | "end";

/** The image formats that may be uploaded. Source: docs/rules.md, Image uploads. */
export type ImageContentType = "image/jpeg" | "image/png" | "image/webp" | "image/gif";

/** An uploaded image, in a file that converters can read. Disposing of it empties the file. */
export interface ReceivedImage extends Disposable {
  /** The name of the file. */
  file: string;
  sizeBytes: number;
  /** The first bytes, as many as it takes to recognize the type. */
  start: Uint8Array<ArrayBuffer>;
  /** Returns the SHA-256 hash of the content, in Base64. */
  hash(): Promise<string>;
}

/** Converts uploaded images into the format in which they are stored. */
export interface ImageConverter {
  /**
   * Receives an image as it arrives, so that it takes no memory until it is converted.
   *
   * @throws {AppError} UNAVAILABLE if the image cannot be written, for example because the disk is full; those of the
   * content.
   */
  receive(content: AsyncIterable<Uint8Array<ArrayBuffer>>): Promise<ReceivedImage>;
  /**
   * Orients the image, fits it into a square of `maxDimension` pixels without enlarging it and encodes it as WebP
   * without metadata. Converts only the first frame of an animation. Runs off the event loop, with at most one image
   * per core.
   *
   * @param options.crop the part that stays when the image becomes a square. Without it, all of the image stays.
   * @param options.variantWidths the widths of the smaller copies, in ascending order. A copy that would not be
   * narrower than the image itself is left out.
   * @param options.owner the id of the user. Owners take turns. By default, all images have the same owner.
   * @throws {AppError} IMAGE_INVALID if the image cannot be decoded, is not of `contentType`, has more pixels than the
   * configuration allows or would take too long to decode; UNAVAILABLE if too many images are waiting, in all or of
   * this owner.
   */
  toWebp(
    image: Pick<ReceivedImage, "file">,
    options: {
      contentType: ImageContentType;
      maxDimension: number;
      crop?: ImageCrop;
      variantWidths?: number[];
      owner?: string;
    },
  ): Promise<ConvertedImage>;
}

/** Knows the passwords that have appeared in data breaches. */
export interface BreachedPasswords {
  /** Settles within two seconds. The password is in NFKC. Throws if it cannot say; the message is safe to log. */
  includes(password: string): Promise<boolean>;
}
