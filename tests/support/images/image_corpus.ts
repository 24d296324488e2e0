import { Buffer } from "node:buffer";
import { deflateSync } from "node:zlib";
import sharp, { type Sharp } from "sharp";
import type { ErrorCode } from "../../../lib/errors/errors.ts";
import { faultyImages } from "./faulty_images.ts";
import { hostileImages, pngWithText } from "./hostile_images.ts";
import {
  animation,
  type Color,
  colorsOfInks,
  HEIGHT,
  hugePng,
  pngChunk,
  PRINTABLE,
  QUARTERS,
  quarters,
  UPRIGHT,
  WIDTH,
} from "./pictures.ts";

/** A file to upload, and the expected result. */
export interface CorpusFile {
  name: string;
  contentType: string;
  bytes: Uint8Array<ArrayBuffer>;
  expected: ErrorCode | ExpectedImage;
  /** An error code that is accepted too: a flipped bit may or may not damage the image. */
  orCode?: ErrorCode;
}

/** The stored image: its size, and the colors of its quarters if they are known. */
export interface ExpectedImage {
  width: number;
  height: number;
  colors?: Color[];
  tolerance?: number;
}

const TYPES = ["jpeg", "png", "webp", "gif"] as const;
type Type = typeof TYPES[number];

const PLAIN: ExpectedImage = { width: WIDTH, height: HEIGHT, colors: QUARTERS };
const FLIPS = 12;
const SCRIPT = "<script>alert(document.domain)</script>";
/** The side of a square of 40 megapixels, the limit for decoding. */
const LARGEST_SIDE = 6324;

/** Small files of every kind that anyone could upload as an avatar. */
export async function imageCorpus(): Promise<CorpusFile[]> {
  const ofTypes = await Promise.all(TYPES.map(filesOfType));
  const hostile = (await hostileImages()).map(({ name, type, bytes }) => file(name, type, bytes, "IMAGE_INVALID"));
  const faulty = (await faultyImages()).map((
    { name, type, bytes, colors = QUARTERS, lacksPixels },
  ) => file(name, type, bytes, lacksPixels ? "IMAGE_INVALID" : { width: 0, height: 0, colors }));
  return [
    ...ofTypes.flat(),
    ...faulty,
    ...await polyglots(),
    ...await kindsOfPixels(),
    ...await oddShapes(),
    ...bombs(),
    ...hostile,
  ];
}

async function filesOfType(type: Type): Promise<CorpusFile[]> {
  const whole = await quarters().toFormat(type).toBuffer();
  const large = await quarters(QUARTERS, 400, 300).toFormat(type).toBuffer();
  const other = TYPES[(TYPES.indexOf(type) + 1) % TYPES.length];
  const single = { width: 1, height: 1, colors: Array<Color>(4).fill(PRINTABLE[0]) };
  return [
    file(`${type}, valid`, type, whole, PLAIN),
    file(`${type}, cut in half`, type, large.subarray(0, large.length / 2), "IMAGE_INVALID"),
    file(`${type}, its first 16 bytes`, type, whole.subarray(0, 16), "IMAGE_INVALID"),
    file(`${type} declared as ${other}`, other, whole, "FILE_SIGNATURE_MISMATCH"),
    file(`${type}, 1 x 1`, type, await quarters(single.colors, 1, 1).toFormat(type).toBuffer(), single),
    ...Array.from({ length: FLIPS }, (_, i) => flipped(type, whole, i)),
  ];
}

/** Flips one bit, at the same position in every run and never in the signature. */
function flipped(type: Type, whole: Buffer, index: number): CorpusFile {
  const bytes = Buffer.from(whole);
  bytes[12 + (index * 7919) % (bytes.length - 12)] ^= 1 << (index % 8);
  const size = { width: 0, height: 0 }; // unknown: the flip may have changed it
  return { ...file(`${type}, flipped bit ${index}`, type, bytes, size), orCode: "IMAGE_INVALID" };
}

async function polyglots(): Promise<CorpusFile[]> {
  const [gif, png, jpeg] = await Promise.all(
    (["gif", "png", "jpeg"] as const).map((type) => quarters().toFormat(type).toBuffer()),
  );
  const zip = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), Buffer.alloc(200, "a"), Buffer.from("PK\x05\x06")]);
  const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, SCRIPT.length + 2]), Buffer.from(SCRIPT)]);
  const scriptGif = Buffer.concat([gif.subarray(0, -1), Buffer.from([0x21, 0xfe, SCRIPT.length]), Buffer.from(SCRIPT)]);
  return [
    file("GIF followed by a script", "gif", Buffer.concat([gif, Buffer.from(`/*${SCRIPT}*/`)]), PLAIN),
    file("GIF with a script in a comment", "gif", Buffer.concat([scriptGif, Buffer.from([0, 0x3b])]), PLAIN),
    file("PNG followed by a zip file", "png", Buffer.concat([png, zip]), PLAIN),
    file(
      "JPEG with a script in a comment",
      "jpeg",
      Buffer.concat([jpeg.subarray(0, 2), comment, jpeg.subarray(2)]),
      PLAIN,
    ),
    file("HTML after a signature", "gif", Buffer.from(`GIF89a${SCRIPT}`), "IMAGE_INVALID"),
    file("SVG", "png", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), "FILE_SIGNATURE_MISMATCH"),
  ];
}

async function kindsOfPixels(): Promise<CorpusFile[]> {
  const turned = await Promise.all(UPRIGHT.map(async (colors, i) => {
    const source = quarters().withExif({ IFD0: { Copyright: "Someone" } }).withMetadata({ orientation: i + 1 });
    const [width, height] = i < 4 ? [WIDTH, HEIGHT] : [HEIGHT, WIDTH];
    return file(`EXIF orientation ${i + 1}`, "jpeg", await source.jpeg().toBuffer(), {
      width,
      height,
      colors,
      tolerance: 30,
    });
  }));
  const kinds: [name: string, type: Type, source: Sharp, expected?: Partial<ExpectedImage>][] = [
    ["CMYK", "jpeg", quarters(PRINTABLE).removeAlpha().toColorspace("cmyk"), {
      colors: await colorsOfInks(PRINTABLE),
      tolerance: 24,
    }],
    ["CMYK with a profile", "jpeg", quarters(PRINTABLE).removeAlpha().withIccProfile("cmyk"), {
      colors: PRINTABLE,
      tolerance: 24,
    }],
    ["16 bits per sample", "png", quarters().toColorspace("rgb16").png()],
    ["16 bits, interlaced", "png", quarters().toColorspace("rgb16").png({ progressive: true })],
    ["another color profile", "jpeg", quarters().withIccProfile("p3")],
    ["transparent", "webp", quarters([[...QUARTERS[0].slice(0, 3), 0] as Color, ...QUARTERS.slice(1)]), {
      colors: [[0, 0, 0, 0], ...QUARTERS.slice(1)],
    }],
    ["animated", "gif", animation()],
    ["animated", "webp", animation()],
  ];
  const others = kinds.map(async ([name, type, source, expected]) =>
    file(`${type}, ${name}`, type, await source.toFormat(type).toBuffer(), { ...PLAIN, ...expected })
  );
  return [...turned, ...await Promise.all(others)];
}

async function oddShapes(): Promise<CorpusFile[]> {
  const colors = Array<Color>(4).fill(PRINTABLE[1]);
  const shapes = (["jpeg", "png", "gif"] as const).map(async (type) =>
    file(`${type}, 1 x 20000`, type, await quarters(colors, 1, 20_000).toFormat(type).toBuffer(), {
      width: 1,
      height: 1024,
      colors,
    })
  );
  return await Promise.all(shapes);
}

/** Files of a few kB that declare or decompress to much more data. */
function bombs(): CorpusFile[] {
  const zeros = deflateSync(new Uint8Array(64 * 1024 * 1024));
  const text = pngChunk("zTXt", Buffer.concat([Buffer.from("Comment\0\0"), zeros]));
  const profile = pngChunk("iCCP", Buffer.concat([Buffer.from("profile\0\0"), zeros]));
  const screen = Buffer.from(
    "GIF89a\xff\xff\xff\xff\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\xff\xff\xff\xff\0\x02\x02D\x01\0;",
    "latin1",
  );
  const canvas = Buffer.from("RIFF\x1e\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\xfe\x3f\0\xfe\x3f\0VP8L\0\0\0\0", "latin1");
  const frame = Buffer.from(
    "\xff\xd8\xff\xc0\0\x11\x08\xff\xdc\xff\xdc\x03\x01\x22\0\x02\x11\x01\x03\x11\x01\xff\xd9",
    "latin1",
  );
  return [
    file("PNG of 65000 x 65000", "png", hugePng(65_000, 65_000), "IMAGE_INVALID"),
    file("PNG of 12000 x 12000", "png", hugePng(12_000, 12_000), "IMAGE_INVALID"),
    file("PNG with 64 MB of text", "png", hugePng(64, 16, [text]), { width: 64, height: 16 }),
    file("PNG with 64 MB of color profile", "png", hugePng(64, 16, [profile]), { width: 64, height: 16 }),
    file("GIF of 65535 x 65535", "gif", screen, "IMAGE_INVALID"),
    file("WebP of 16383 x 16383", "webp", canvas, "IMAGE_INVALID"),
    file("JPEG of 65500 x 65500", "jpeg", frame, "IMAGE_INVALID"),
  ].map((bomb) => ({ ...bomb, orCode: "IMAGE_INVALID" }));
}

/** The largest valid images, in the forms that take most time or memory to decode. Creating some takes a second. */
export async function* heavyImages(): AsyncGenerator<CorpusFile> {
  const large = await sharp(await quarters().png().toBuffer())
    .resize(LARGEST_SIDE, LARGEST_SIDE, { kernel: "nearest", fit: "fill" }).raw()
    .toBuffer({ resolveWithObject: true });
  const picture = () => sharp(large.data, { raw: large.info, limitInputPixels: false });
  const turned = () => picture().withMetadata({ orientation: 6 });
  const deep = (source = picture()) => source.toColorspace("rgb16");
  const cmyk = () => picture().removeAlpha().toColorspace("cmyk");
  const progressive = { progressive: true, chromaSubsampling: "4:4:4" };
  const lossless = { lossless: true, effort: 0 };
  const upright = UPRIGHT[6 - 1];
  const kinds: [name: string, type: Type, source: Sharp, colors?: Color[]][] = [
    ["PNG", "png", picture().png()],
    ["interlaced PNG", "png", picture().png({ progressive: true })],
    ["PNG of 16 bits", "png", deep().png()],
    ["interlaced PNG of 16 bits", "png", deep().png({ progressive: true })],
    ["turned PNG of 16 bits", "png", deep(turned()).png(), upright],
    ["turned JPEG", "jpeg", turned().jpeg(), upright],
    ["progressive JPEG", "jpeg", picture().jpeg(progressive)],
    ["turned progressive JPEG", "jpeg", turned().jpeg(progressive), upright],
    ["progressive CMYK JPEG", "jpeg", cmyk().jpeg(progressive), await colorsOfInks(QUARTERS)],
    ["lossy WebP", "webp", picture().webp({ effort: 0 })],
    ["lossless WebP", "webp", picture().webp(lossless)],
    ["turned lossless WebP", "webp", turned().webp(lossless), upright],
    ["GIF", "gif", picture().gif({ effort: 1 })],
  ];
  for (const [name, type, source, colors = QUARTERS] of kinds) {
    const expected = { width: 1024, height: 1024, colors, tolerance: 40 };
    yield { ...file(`${name} of 40 megapixels`, type, await source.toBuffer(), expected), orCode: "IMAGE_INVALID" };
  }
  yield file("PNG with 1 GB of text", "png", pngWithText(16), { width: 64, height: 16 });
}

function file(name: string, type: Type, bytes: Uint8Array, expected: CorpusFile["expected"]): CorpusFile {
  return { name, contentType: `image/${type}`, bytes: new Uint8Array(bytes), expected };
}
