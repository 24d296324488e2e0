const MAX_SIDE_PIXELS = 2048;
const QUALITY = 0.9;

/**
 * Makes a photo at most this many bytes large: upright, with at most 2048 pixels on its longer side. The browser decodes
 * and encodes it outside the main thread. A browser that cannot write WebP writes PNG, which keeps transparency too.
 *
 * @throws when the browser cannot read the photo or has no OffscreenCanvas.
 */
export async function shrinkPhoto(photo: File, maxBytes: number): Promise<File> {
  const bitmap = await createImageBitmap(photo, { imageOrientation: "from-image" });
  const longerSide = Math.max(bitmap.width, bitmap.height);
  for (let side = Math.min(MAX_SIDE_PIXELS, longerSide);; side /= 2) {
    const [width, height] = [bitmap.width, bitmap.height].map((length) => Math.ceil(length * side / longerSide));
    const canvas = new OffscreenCanvas(width, height);
    canvas.getContext("2d")!.drawImage(bitmap, 0, 0, width, height);
    const type = photo.type === "image/jpeg" ? photo.type : "image/webp";
    const blob = await canvas.convertToBlob({ type, quality: QUALITY });
    if (blob.size <= maxBytes) return new File([blob], photo.name, { type: blob.type });
  }
}
