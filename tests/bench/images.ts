import sharp from "sharp";
import { createWebpConverter } from "../../lib/images/webp_converter.ts";
import { type AppProcess, startApp } from "../support/app_process.ts";
import { strainOf } from "../support/process_probe.ts";
import { register } from "../support/process_session.ts";
import type { Rig } from "./rig.ts";
import { inTurns, type Row } from "./table.ts";

const [WIDTH, HEIGHT] = [4000, 3000];
const PHOTO_BYTES = 3_400_000;
const ROUNDS = 15;
const AT_ONCE = 20;
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
  await Deno.writeFile(`${dataDir}/photo.jpg`, photo);
  return [...single, ...await uploadAtOnce(app, `${dataDir}/photo.jpg`)];
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

/** By curl, in processes of their own: what sending costs this one would look like the app's slowness. */
async function uploadAtOnce(app: AppProcess, photoFile: string): Promise<Row[]> {
  const { cookie } = await register(app, "many@example.com");
  const form = ["-F", "type=avatar", "-F", `file=@${photoFile};type=image/jpeg`];
  const args = ["-fsS", "-o", "/dev/null", "-b", cookie, ...form, `${app.url}/api/upload/image`];
  const upload = async () => {
    if (!(await new Deno.Command("curl", { args }).output()).success) throw new Error("An upload failed");
  };
  const { peakBytes, healthMs } = await strainOf(app, async () => {
    await Promise.all(Array.from({ length: AT_ONCE }, upload));
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
