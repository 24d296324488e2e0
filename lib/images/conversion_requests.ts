import type { ErrorDataOf } from "../errors/errors.ts";
import type { ImageContentType, ImageCrop, WebpImage } from "../services/services.ts";

/** How to decode an image. */
export interface Decoding {
  contentType: ImageContentType;
  maxDimension: number;
  /** The part that stays when the image becomes a square. Without it, all of the image stays. */
  crop?: ImageCrop;
  /** Images with more pixels are refused before they are decoded. */
  maxPixels: number;
}

/** What the service asks a converter to do. */
export interface ConversionRequest extends Decoding {
  /** The name of the file that contains the image. */
  file: string;
  /** The widths of smaller copies, in ascending order. */
  variantWidths: number[];
}

/**
 * What a converter answers: first that it has decoded the image, then the images, or a failure at any time. The message
 * has one part for each of `images`: first the image, then its copies.
 */
export type ConversionAnswer =
  | { decoded: true }
  | { images: Pick<WebpImage, "width" | "height">[] }
  | { invalid: ErrorDataOf<"IMAGE_INVALID">; cause?: string }
  | { failed: string };

/** What the launcher sends to the service before the first answer: a converter gets the request now. */
export const LENT = "lent";
/**
 * What the service sends to the launcher after the last answer, once it has accepted all of them: others may use the
 * converter.
 */
export const DONE = "done";
