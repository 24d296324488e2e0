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
const AT_ONCE = 20;
const SECONDS = 8;
const SIDE = 1024;
const MEGABYTE = 1_000_000;

/**
 * What an avatar costs: a photo of 12 megapixels beside bare sharp doing the same, then twenty of them at once, with
 * the app's memory and what its health check has to wait meanwhile.
 */
export async function images({ folder }: Rig): Promise<Row[]> {
  const photo = await makePhoto();
  const dataDir = await Deno.makeTempDir({ dir: folder });
  // Making the embedded database, once, takes more memory than anything here.
  await (await startApp({ dataDir }))[Symbol.asyncDispose]();
  await using app = await startApp({ dataDir });
  const single = await compareWithSharp(app, photo);
  return [...single, ...await uploadAtOnce(app, folder, photo)];
}

async function compareWithSharp(app: AppProcess, photo: Uint8Array<ArrayBuffer>): Promise<Row[]> {
  const converter = createWebpConverter({ maxPixels: 40_000_000 }); // its module also sets sharp up as the app does
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
    wanted: "<= 1.15",
  });
  return [
    await compare("photo of 12 MP to WebP", convert),
    await compare("photo of 12 MP as avatar, whole upload", upload),
  ];
}

/** By wrk: twenty processes that start at once would take the cores from the app that is measured. */
async function uploadAtOnce(app: AppProcess, folder: string, photo: Uint8Array<ArrayBuffer>): Promise<Row[]> {
  const { cookie } = await register(app, "many@example.com");
  const script = await uploadScript(folder, photo, cookie);
  const url = `${app.url}/api/upload/image`;
  const { peakBytes, healthMs } = await measureStrain(app, async () => {
    await load({ url, connections: AT_ONCE, seconds: SECONDS, script });
  });
  const what = `${AT_ONCE} such uploads at once`;
  return [
    { what: `${what}: peak memory`, ours: [peakBytes / MEGABYTE], unit: "MB", wanted: "<= 700" },
    {
      what: `${what}: \`GET /api/health\` p99`,
      ours: [healthMs[Math.floor(healthMs.length * 0.99)]],
      unit: "ms",
      wanted: "<= 50",
    },
  ];
}

/** A script for wrk that uploads the photo. */
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

/** Soft shapes under noise, as cameras make them, in the quality that comes nearest to the size. */
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
