/**
 * Prints what an avatar costs: a photo of 12 megapixels beside bare sharp doing the same in the same run, then twenty
 * of them at once, with the app's memory and what its health check has to wait meanwhile.
 *
 *     deno run -A tests/bench/image_bench.ts
 */
import sharp from "sharp";
import { createWebpConverter } from "../../lib/images/webp_converter.ts";
import { type AppProcess, buildApp, startApp } from "../support/app_process.ts";
import { withFolder } from "../support/engines.ts";
import { median } from "../support/median.ts";
import { strainOf } from "../support/process_probe.ts";
import { register } from "../support/process_session.ts";

const [WIDTH, HEIGHT] = [4000, 3000];
const PHOTO_BYTES = 3_400_000;
const ROUNDS = 15;
const AT_ONCE = 20;
const SIDE = 1024;
const MEGABYTE = 1_000_000;

const photo = await makePhoto();
const cores = navigator.hardwareConcurrency;
console.log(`photo: ${WIDTH} x ${HEIGHT}, ${(photo.length / MEGABYTE).toFixed(1)} MB; cores: ${cores}`);
await buildApp();
await withFolder(async (dataDir) => {
  // Making the embedded database, once, takes more memory than anything here.
  await (await startApp({ dataDir }))[Symbol.asyncDispose]();
  await using app = await startApp({ dataDir });
  await compareWithSharp(app);
  await Deno.writeFile(`${dataDir}/photo.jpg`, photo);
  await uploadAtOnce(app, `${dataDir}/photo.jpg`);
});

async function compareWithSharp(app: AppProcess): Promise<void> {
  const converter = createWebpConverter({ maxPixels: 40_000_000 }); // its module also sets sharp up as the app does
  const session = await register(app, "one@example.com");
  const contenders = {
    "bare sharp": () =>
      sharp(photo).autoOrient().resize(SIDE, SIDE, { fit: "inside", withoutEnlargement: true }).webp({ quality: 80 })
        .toBuffer(),
    "conversion": () => converter.toWebp(photo, { contentType: "image/jpeg", maxDimension: SIDE }),
    "whole upload": async () => {
      const response = await session.uploadAvatar(photo, "image/jpeg");
      if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
      await response.body?.cancel();
    },
  };
  const times = new Map(Object.keys(contenders).map((name) => [name, [] as number[]]));
  for (let i = 0; i < ROUNDS; i++) {
    for (const [name, act] of Object.entries(contenders)) times.get(name)!.push(await timed(act));
  }
  const bareMs = median(times.get("bare sharp")!);
  for (const [name, all] of times) {
    console.log(`${name}: ${median(all).toFixed(0)} ms, ${(median(all) / bareMs).toFixed(2)} x bare sharp`);
  }
}

/** By curl, in processes of their own: what sending costs this one would look like the app's slowness. */
async function uploadAtOnce(app: AppProcess, photoFile: string): Promise<void> {
  const { cookie } = await register(app, "many@example.com");
  const form = ["-F", "type=avatar", "-F", `file=@${photoFile};type=image/jpeg`];
  const args = ["-fsS", "-o", "/dev/null", "-b", cookie, ...form, `${app.url}/api/upload/image`];
  let stored = 0;
  const startedAt = performance.now();
  const { peakBytes, growthBytes, healthMs } = await strainOf(app, async () => {
    await Promise.all(Array.from({ length: AT_ONCE }, async () => {
      if ((await new Deno.Command("curl", { args }).output()).success) stored++;
    }));
  });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const p99Ms = healthMs[Math.floor(healthMs.length * 0.99)];
  console.log(`${AT_ONCE} at once: ${stored} stored in ${seconds} s`);
  const [peak, growth] = [peakBytes, growthBytes].map((bytes) => (bytes / MEGABYTE).toFixed(0));
  console.log(`peak memory: ${peak} MB, ${growth} MB more than before`);
  console.log(
    `/api/health: p99 ${p99Ms.toFixed(0)} ms, at most ${healthMs.at(-1)!.toFixed(0)} ms, of ${healthMs.length}`,
  );
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
