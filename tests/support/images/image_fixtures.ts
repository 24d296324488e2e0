import { Buffer } from "node:buffer";
import { inflateRawSync } from "node:zlib";
import { type FaultyImage } from "./faulty_images.ts";
import { typeOfFile } from "./kinds_of_images.ts";

/** The pictures that `deno task image-fixtures` makes. */
export const IMAGE_FIXTURES = new URL("../../fixtures/images/", import.meta.url);
/** What browsers show of them, by the names of their files. */
export const PIXELS_FILE = "pixels.json";

/** What a browser shows: all pixels, compressed and encoded. */
export interface BrowserPixels {
  width: number;
  height: number;
  /** In sRGB, by rows. */
  rgba: string;
}

/** A picture, and what browsers show of it. */
export interface ImageFixture {
  file: string;
  type: FaultyImage["type"];
  bytes: Uint8Array<ArrayBuffer>;
  /** Null if it lacks pixels. */
  shown: { width: number; height: number; rgba: Uint8Array } | null;
}

/** Reads all pictures. */
export async function imageFixtures(): Promise<ImageFixture[]> {
  const pixels: Record<string, BrowserPixels | null> = JSON.parse(
    await Deno.readTextFile(new URL(PIXELS_FILE, IMAGE_FIXTURES)),
  );
  return await Promise.all(
    Object.entries(pixels).map(async ([file, shown]) => ({
      file,
      type: typeOfFile(file),
      bytes: await Deno.readFile(new URL(file, IMAGE_FIXTURES)),
      shown: shown && { ...shown, rgba: inflateRawSync(Buffer.from(shown.rgba, "base64")) },
    })),
  );
}
