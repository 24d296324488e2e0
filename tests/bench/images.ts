import sharp from "sharp";
import { createWebpConverter } from "../../lib/images/webp_converter.ts";
import { type AppProcess, startApp } from "../support/app_process.ts";
import { measureStrain } from "../support/process_probe.ts";
import { register } from "../support/process_session.ts";
import { load } from "./load.ts";
import type { Rig } from "./rig.ts";
import { inTurns, type Row } from "./table.ts";

const [WIDTH, HEIGHT] = [4000, 3000];
const PHOTO_BYTES = 3_400_000;
const ROUNDS = 15;
const CONCURRENT = 20;
const SECONDS = 8;
const SIDE = 1024;
const MEGABYTE = 1_000_000;

/**
 * Compares an avatar upload of 12 megapixels to sharp alone. Then measures the memory of the app and the response time
 * of its health check during twenty concurrent uploads.
 */
export async function images({ folder }: Rig): Promise<Row[]> {
  const photo = await makePhoto();
  const dataDir = await Deno.makeTempDir({ dir: folder });
  // Creating the embedded database takes more memory than the uploads, so it is done in advance.
  await (await startApp({ dataDir }))[Symbol.asyncDispose]();
  await using app = await startApp({ dataDir });
  const single = await compareWithSharp(app, photo);
  return [...single, ...await uploadAtOnce(app, folder, photo)];
}

async function compareWithSharp(app: AppProcess, photo: Uint8Array<ArrayBuffer>): Promise<Row[]> {
  const converter = createWebpConverter({ maxPixels: 40_000_000 }); // its module also configures sharp as the app does
  const session = await register(app, "one@example.com");
  const convert = () => converter.toWebp(photo, { contentType: "image/jpeg", maxDimension: SIDE });
  const upload = async () => {
    const response = await session.uploadAvatar(photo, "image/jpeg");
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
    await response.body?.cancel();
  };
  const bareSharp = () =>
    sharp(photo).autoOrient().resize(SIDE, SIDE, { fit: "inside", withoutEnlargement: true }).webp({ quality: 80 })
      .toBuffer();
  const compare = async (what: string, act: () => Promise<unknown>): Promise<Row> => ({
    what,
    ...await inTurns(() => timed(act), () => timed(bareSharp), ROUNDS),
    unit: "ms",
    target: "<= 1.15",
  });
  return [
    await compare("photo of 12 MP to WebP", convert),
    await compare("photo of 12 MP as avatar, whole upload", upload),
  ];
}

/** Uses wrk, which needs little CPU time itself. */
async function uploadAtOnce(app: AppProcess, folder: string, photo: Uint8Array<ArrayBuffer>): Promise<Row[]> {
  const { cookie } = await register(app, "many@example.com");
  const script = await uploadScript(folder, photo, cookie);
  const url = `${app.url}/api/upload/image`;
  const { peakBytes, healthMs } = await measureStrain(app, async () => {
    await load({ url, connections: CONCURRENT, seconds: SECONDS, script });
  });
  const what = `${CONCURRENT} such uploads, concurrent`;
  return [
    { what: `${what}: peak memory`, ours: [peakBytes / MEGABYTE], unit: "MB", target: "<= 700" },
    {
      what: `${what}: \`GET /api/health\` p99`,
      ours: [healthMs[Math.floor(healthMs.length * 0.99)]],
      unit: "ms",
      target: "<= 50",
    },
  ];
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
