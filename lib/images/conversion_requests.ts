import type { ErrorDataOf } from "../errors.ts";
import type { ImageContentType, ImageCrop, WebpImage } from "../services.ts";

/** How to decode an image. */
export interface Decoding {
  contentType: ImageContentType;
  maxDimension: number;
  /** The part that stays when the image becomes a square. Without it, all of the image stays. */
  crop?: ImageCrop;
  /** Images with more pixels are refused before they are decoded. */
  maxPixels: number;
}

/** Which image to decode, and how. */
export interface DecodeRequest extends Decoding {
  /** The name of its file. */
  file: string;
}

/** How to encode the image that has been decoded. */
export interface EncodeRequest {
  /** The widths of smaller copies, in ascending order. */
  variantWidths: number[];
  /** Whether a second core is free for the copies. */
  inParallel: boolean;
}

/** What the service asks a converter to do. */
export type ConversionRequest = { decode: DecodeRequest } | { encode: EncodeRequest };

/** What a converter answers. The message has one part for each of `images`: first the image, then its copies. */
export type ConversionAnswer =
  | { decoded: true }
  | { images: Pick<WebpImage, "width" | "height">[] }
  | { invalid: ErrorDataOf<"IMAGE_INVALID">; cause?: string }
  | { failed: string };

/** What the service sends to the launcher after the last answer, if it has accepted all. Others may use the converter. */
export const DONE = "done";
