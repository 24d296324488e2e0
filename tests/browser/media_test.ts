import { type Page, withPage } from "../support/browser/browser.ts";
import { openSharedSite } from "../support/browser/shared_site.ts";
import { waitFor } from "../support/wait_for.ts";

const site = await openSharedSite();

Deno.test("stored audio and video play from their own links", async () => {
  await withPage(site.browser, async (page) => {
    await page.goto(site.url);
    const files = { "audio/wav": tone(), "video/webm": await record(page) };
    for (const [contentType, bytes] of Object.entries(files)) {
      const key = `uploads/someone/${contentType.replace("/", ".")}`;
      await site.app.services.objects.put(key, bytes, contentType);
      await page.goto(`${site.url}/files/${key}`, { waitUntil: "commit" });
      const player = page.locator("video");
      // The page of the player runs no scripts, so it gets no events and resolves no promises.
      await player.evaluate((media: HTMLVideoElement) => {
        media.muted = true;
        void media.play();
      });
      await waitFor(contentType, () => player.evaluate(({ currentTime }: HTMLVideoElement) => currentTime > 0.1));
    }
  });
});

/** Returns a WAV file with a tone of a fifth of a second. */
function tone(): Uint8Array<ArrayBuffer> {
  const [rate, count] = [8_000, 1_600];
  const view = new DataView(new ArrayBuffer(44 + count));
  const write = (at: number, text: string) => [...text].forEach((char, i) => view.setUint8(at + i, char.charCodeAt(0)));
  write(0, "RIFF");
  view.setUint32(4, 36 + count, true);
  write(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true); // PCM
  view.setUint16(22, 1, true); // one channel
  view.setUint32(24, rate, true);
  view.setUint32(28, rate, true);
  view.setUint16(32, 1, true);
  view.setUint16(34, 8, true); // bits
  write(36, "data");
  view.setUint32(40, count, true);
  for (let i = 0; i < count; i++) view.setUint8(44 + i, 128 + 100 * Math.sin(i / 4));
  return new Uint8Array(view.buffer);
}

/** Returns a WebM file that the browser records from a canvas. */
async function record(page: Page): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await page.evaluate(async () => {
    const canvas = document.createElement("canvas");
    const context = canvas.getContext("2d")!;
    const recorder = new MediaRecorder(canvas.captureStream(), { mimeType: "video/webm" });
    const recorded = new Promise<Blob>((resolve) => recorder.ondataavailable = ({ data }) => resolve(data));
    recorder.start();
    const startedAt = performance.now();
    while (performance.now() < startedAt + 500) {
      context.fillStyle = `hsl(${performance.now() % 360} 50% 50%)`;
      context.fillRect(0, 0, canvas.width, canvas.height);
      await new Promise(requestAnimationFrame);
    }
    recorder.stop();
    return [...new Uint8Array(await (await recorded).arrayBuffer())];
  });
  return new Uint8Array(bytes);
}
