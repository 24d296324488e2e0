/** Makes the pictures in tests/fixtures/images, and asks Chromium for the pixels of each. */
import { Buffer } from "node:buffer";
import { deflateRawSync } from "node:zlib";
import { launchBrowser } from "./support/browser/browser.ts";
import { faultyImages } from "./support/images/faulty_images.ts";
import { type BrowserPixels, IMAGE_FIXTURES, PIXELS_FILE } from "./support/images/image_fixtures.ts";
import { kindsOfImages, typeOfFile } from "./support/images/kinds_of_images.ts";

const faulty = await faultyImages();
const fileOf = (name: string, type: string) =>
  `fault-${name.replace(/^\w+: /, "").replaceAll(/[^a-z0-9]+/gi, "-").toLowerCase()}.${type === "jpeg" ? "jpg" : type}`;
const pictures: [file: string, bytes: Uint8Array, lacksPixels: boolean][] = [
  ...Object.entries(await kindsOfImages()).map(([file, bytes]) =>
    [file, bytes, false] as [string, Uint8Array, boolean]
  ),
  ...faulty.map((
    { name, type, bytes, lacksPixels = false },
  ) => [fileOf(name, type), bytes, lacksPixels] as [string, Uint8Array, boolean]),
];

const browser = await launchBrowser();
const page = await browser.newPage();
await Deno.remove(IMAGE_FIXTURES, { recursive: true }).catch(() => {});
await Deno.mkdir(IMAGE_FIXTURES);
const pixels: Record<string, BrowserPixels | null> = {};
for (const [file, bytes, lacksPixels] of pictures) {
  await Deno.writeFile(new URL(file, IMAGE_FIXTURES), bytes);
  pixels[file] = lacksPixels ? null : await shown(file, bytes);
}
await Deno.writeTextFile(new URL(PIXELS_FILE, IMAGE_FIXTURES), `${JSON.stringify(pixels, null, 2)}\n`);
await browser.close();
console.log(`${pictures.length} pictures are in ${IMAGE_FIXTURES.pathname}`);
Deno.exit(0); // the threads of sharp would keep the process alive

/** Returns what Chromium shows of a picture. */
async function shown(file: string, bytes: Uint8Array): Promise<BrowserPixels> {
  const url = `data:image/${typeOfFile(file)};base64,${Buffer.from(bytes).toString("base64")}`;
  try {
    const { width, height, rgba } = await page.evaluate(async (url) => {
      const image = new Image();
      image.src = url;
      await image.decode();
      const { naturalWidth: width, naturalHeight: height } = image;
      const context = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d")!;
      context.drawImage(image, 0, 0);
      return { width, height, rgba: [...context.getImageData(0, 0, width, height).data] };
    }, url);
    return { width, height, rgba: deflateRawSync(Buffer.from(rgba)).toString("base64") };
  } catch (error) {
    throw new Error(`Chromium does not show ${file}`, { cause: error });
  }
}
