import sharp from "sharp";
import { borrowConverter } from "../../lib/images/converter_connection.ts";
import { imageReceiver } from "../../lib/images/converter_folder.ts";
import { createWebpConverter } from "../../lib/images/webp_converter.ts";
import { VARIANT_WIDTHS } from "../../lib/uploads/rules.ts";
import { listenForConverters } from "../../lib/server/converters.ts";
import { delay } from "../support/delay.ts";
import { toWebpOf } from "../support/images/test_converter.ts";
import type { AppProcess } from "../support/processes/app_process.ts";
import { measureStrain, memoryOfAll } from "../support/processes/process_probe.ts";
import { register } from "../support/processes/process_session.ts";
import { load } from "./load.ts";
import { type Rig, startFoyer } from "./rig.ts";
import { inTurns, type Row } from "./table.ts";

const [WIDTH, HEIGHT] = [4000, 3000];
const PHOTO_BYTES = 3_400_000;
const ROUNDS = 15;
/** Uploads that are still running at the end of a turn do not count. In 20 seconds, they are less than a hundredth. */
const SECONDS = 20;
/** In this time, the service finishes the uploads that the load generator has left. */
const PAUSE_MS = 2_000;
/** Ended converters give their memory back in this time. */
const SETTLED_MS = 10_000;
const SIDE = 1024;
const POST_SIDE = 2560;
const MEGABYTE = 1_000_000;

/**
 * Compares an avatar upload of 12 megapixels to sharp alone. Then measures the response time of the app's health check
 * and the memory of the app during concurrent uploads.
 */
export async function images({ cluster, folder }: Rig): Promise<Row[]> {
  const photo = await makePhoto();
  await using app = await startFoyer({ folder }, { DATABASE_URL: cluster.url, UPLOAD_QUOTA_BYTES: "0" });
  const rows = await compareWithSharp(app, photo);
  const { cookie } = await register(app, "many@example.com");
  const script = await uploadScript(folder, photo, cookie);
  const options = { url: `${app.url}/api/upload/image`, connections: 4, seconds: SECONDS, script };
  rows.push({
    what: "photos of 12 MP as avatars in all widths, 4 concurrent uploads",
    ...await inTurns(async () => (await load(options)).requestsPerSecond, async () => {
      await delay(PAUSE_MS);
      return await rateOfSharp(photo);
    }),
    unit: "/s",
    target: ">= 0.85",
  });
  rows.push((await uploadAtOnce(app, { connections: 4, script })).health("<= 25"));
  const many = await uploadAtOnce(app, { connections: 20, script });
  await delay(SETTLED_MS);
  const resident = await memoryOfAll(app, "VmRSS") / MEGABYTE;
  return [
    ...rows,
    many.health("<= 50"),
    many.memory("<= 750"),
    { what: "memory ten seconds after the uploads", ours: [resident], unit: "MB", target: "<= 450" },
  ];
}

async function compareWithSharp(app: AppProcess, photo: Uint8Array<ArrayBuffer>): Promise<Row[]> {
  using converters = listenForConverters();
  const { folder } = converters;
  const converter = createWebpConverter({
    receive: imageReceiver(folder),
    borrow: (request) => borrowConverter(folder, request),
    maxPixels: 40_000_000,
  });
  const toWebp = toWebpOf(converter);
  sharp.cache(false); // these two, as the converters do
  sharp.concurrency(1);
  const session = await register(app, "one@example.com");
  const convert = () => toWebp(photo, { contentType: "image/jpeg", maxDimension: SIDE });
  const upload = async () => {
    const response = await session.uploadAvatar(photo, "image/jpeg");
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
    await response.body?.cancel();
  };
  const bareSharp = () =>
    sharp(photo).autoOrient().resize(SIDE, SIDE, { fit: "inside", withoutEnlargement: true }).webp({ quality: 80 })
      .toBuffer();
  const compare = async (what: string, act: () => Promise<unknown>, bare = bareSharp as typeof act): Promise<Row> => ({
    what,
    ...await inTurns(() => timed(act), () => timed(bare), ROUNDS),
    unit: "ms",
    target: "<= 1.05",
  });
  return [
    await compare("photo of 12 MP to WebP", convert),
    await compare("photo of 12 MP as avatar in all widths, whole upload", upload, () => convertWithSharp(photo)),
    ...await compareWithOneWidth(toWebp, photo),
  ];
}

/** Converts a photo as an avatar is converted, with sharp alone. */
async function convertWithSharp(photo: Uint8Array): Promise<void> {
  const { data, info } = await sharp(photo).autoOrient().resize(SIDE, SIDE, { fit: "inside" }).raw()
    .toBuffer({ resolveWithObject: true });
  const widths = [info.width, ...VARIANT_WIDTHS.avatar];
  await Promise.all(
    widths.map((width) => sharp(data, { raw: info }).resize({ width }).webp({ quality: 80 }).toBuffer()),
  );
}

/** Measures sharp alone on every core, in photos per second. */
async function rateOfSharp(photo: Uint8Array): Promise<number> {
  const startedAt = performance.now();
  let count = 0;
  await Promise.all(Array.from({ length: navigator.hardwareConcurrency }, async () => {
    for (; performance.now() - startedAt < SECONDS * 1000; count++) await convertWithSharp(photo);
  }));
  return count / (performance.now() - startedAt) * 1000;
}

/** Compares the conversion into all widths to the conversion into the largest one alone. */
async function compareWithOneWidth(
  toWebp: ReturnType<typeof toWebpOf>,
  photo: Uint8Array<ArrayBuffer>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [purpose, maxDimension] of [["avatar", SIDE], ["post", POST_SIDE]] as const) {
    const options = { contentType: "image/jpeg", maxDimension } as const;
    rows.push({
      what: `photo of 12 MP as ${purpose} in all widths, compared to the largest alone`,
      ...await inTurns(
        () => timed(() => toWebp(photo, { ...options, variantWidths: VARIANT_WIDTHS[purpose] })),
        () => timed(() => toWebp(photo, options)),
        ROUNDS,
      ),
      unit: "ms",
      target: "<= 1.25",
    });
  }
  return rows;
}

/** Uploads with wrk, which needs little CPU time itself. Returns functions that create the rows, given their target. */
async function uploadAtOnce(app: AppProcess, { connections, script }: { connections: number; script: string }) {
  const { peakBytes, healthMs } = await measureStrain(app, async () => {
    await load({ url: `${app.url}/api/upload/image`, connections, seconds: SECONDS, script });
  });
  const p99Ms = healthMs[Math.floor(healthMs.length * 0.99)];
  const what = `${connections} such uploads, concurrent`;
  return {
    memory: (target: string): Row => ({
      what: `${what}: peak memory`,
      ours: [peakBytes / MEGABYTE],
      unit: "MB",
      target,
    }),
    health: (target: string): Row => ({ what: `${what}: \`GET /api/health\` p99`, ours: [p99Ms], unit: "ms", target }),
  };
}

/** Writes a script for wrk that uploads the photo. Returns its path. */
async function uploadScript(folder: string, photo: Uint8Array<ArrayBuffer>, cookie: string): Promise<string> {
  const form = new FormData();
  form.set("type", "avatar");
  form.set("file", new File([photo], "photo.jpg", { type: "image/jpeg" }));
  const body = new Response(form);
  await Deno.writeFile(`${folder}/upload.body`, await body.bytes());
  const path = `${folder}/upload.lua`;
  await Deno.writeTextFile(
    path,
    `wrk.method = "POST"
wrk.headers["Content-Type"] = "${body.headers.get("Content-Type")}"
wrk.headers["Cookie"] = "${cookie}"
wrk.body = io.open("${folder}/upload.body", "rb"):read("*a")
`,
  );
  return path;
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await act();
  return performance.now() - startedAt;
}

/** Creates a JPEG of soft shapes with noise, as in photos, with the quality that comes closest to the target size. */
async function makePhoto(): Promise<Uint8Array<ArrayBuffer>> {
  const noise = await noisy(WIDTH, HEIGHT, 12).png({ compressionLevel: 0 }).toBuffer();
  const shapes = await noisy(40, 30, 60).resize(WIDTH, HEIGHT).png({ compressionLevel: 0 }).toBuffer();
  const picture = sharp(shapes).composite([{ input: noise, blend: "soft-light" }]).removeAlpha();
  let best = new Uint8Array();
  for (let quality = 95; quality >= 50; quality -= 3) {
    const jpeg = new Uint8Array(await picture.clone().jpeg({ quality }).toBuffer());
    if (Math.abs(jpeg.length - PHOTO_BYTES) < Math.abs(best.length - PHOTO_BYTES)) best = jpeg;
  }
  return best;
}

function noisy(width: number, height: number, sigma: number) {
  const noise = { type: "gaussian" as const, mean: 128, sigma };
  return sharp({ create: { width, height, channels: 3, background: "#000", noise } });
}
