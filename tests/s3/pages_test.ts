import { Buffer } from "node:buffer";
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { SECOND_MS } from "../../lib/duration.ts";
import { withPage } from "../support/browser/browser.ts";
import { quarters } from "../support/images/pictures.ts";
import { startS3Server } from "../support/uploads/s3_server.ts";
import { BOTH_WAYS, openSharedSite } from "../support/browser/shared_site.ts";

const server = await startS3Server();
Deno.test.afterAll(() => server.stop());
const site = await openSharedSite(server.env);
// The S3 server uses the real time.
site.app.advance((Date.now() - site.app.services.now().getTime()) / SECOND_MS);
strictEqual((await site.app.services.objects.probePrivate!()).result, "closed");
const NOTES = { mimeType: "text/plain", buffer: Buffer.from("for the bucket") };
const PICTURE = { name: "me.png", mimeType: "image/png", buffer: await quarters().png().toBuffer() };

for (const { way, javaScriptEnabled } of BOTH_WAYS) {
  Deno.test(`files and a photo reach the bucket under the pages' security policy, ${way}`, async () => {
    await withPage(site.browser, async (page) => {
      await site.logIn(page.context(), `bucket-${javaScriptEnabled}@example.com`);
      const puts: string[] = [];
      page.on("request", (request) => request.method() === "PUT" && puts.push(new URL(request.url()).origin));
      const addresses = {
        "Anyone with the link": `${server.env.S3_PUBLIC_URL}/uploads/`,
        "Only you": `${site.url}/files/private/`,
      };
      for (const [readers, start] of Object.entries(addresses)) {
        const name = `${readers}.txt`;
        await page.goto(`${site.url}/uploads`, { waitUntil: "networkidle" });
        await page.getByLabel(readers).check();
        await page.getByLabel("Choose files").setInputFiles({ ...NOTES, name });
        if (!javaScriptEnabled) await page.getByRole("button", { name: "Upload" }).click();
        const stored = page.getByRole("list", { name: "Your files" }).getByRole("link", { name, exact: true });
        const link = (await stored.getAttribute("href"))!;
        ok(link.startsWith(start), link);
        strictEqual(await (await page.request.get(link)).text(), "for the bucket");
      }
      const { S3_ENDPOINT } = server.env;
      deepStrictEqual(
        puts,
        javaScriptEnabled ? [S3_ENDPOINT, S3_ENDPOINT] : [],
        "the script uploads to the bucket directly",
      );

      await page.goto(`${site.url}/profile`, { waitUntil: "networkidle" });
      await page.getByLabel("Choose a photo").setInputFiles(PICTURE);
      await page.getByRole("button", { name: "Upload photo" }).click();
      await page.getByText("Photo updated.").waitFor();
      const avatar = page.getByRole("main").locator(`.avatar img[src^="${server.env.S3_PUBLIC_URL}/images/"]`).first();
      strictEqual(
        await avatar.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth)),
        48, // the square in the middle of 64 x 48 pixels
      );
    }, { javaScriptEnabled });
  });
}

Deno.test("a page uploads a private image to the bucket, and shows it through /files", async () => {
  await withPage(site.browser, async (page) => {
    await site.logIn(page.context(), "private-bucket@example.com");
    await page.goto(`${site.url}/uploads`, { waitUntil: "networkidle" });
    const responses: [status: number, url: string, referrer?: string][] = [];
    page.on("response", (response) => {
      if (!response.url().includes("/private/") || response.request().method() !== "GET") return;
      responses.push([response.status(), response.url().split("?")[0], response.request().headers().referer]);
    });
    const { publicUrl, key, width } = await page.evaluate(async (base64) => {
      const bytes = Uint8Array.fromBase64(base64);
      const json = { "Content-Type": "application/json" };
      const request = { filename: "me.png", contentType: "image/png", size: bytes.length, visibility: "private" };
      const presigned = await (await fetch("/api/upload/presign", {
        method: "POST",
        headers: json,
        body: JSON.stringify(request),
      })).json();
      const { id, presignedUrl, publicUrl, key } = presigned;
      await fetch(presignedUrl, { method: "PUT", body: bytes, headers: { "Content-Type": "image/png" } });
      await fetch(`/api/uploads/${id}/confirm`, { method: "POST" });
      const image = new Image();
      image.src = publicUrl;
      document.body.append(image);
      await image.decode();
      return { publicUrl, key, width: image.naturalWidth };
    }, PICTURE.buffer.toString("base64"));
    strictEqual(width, 64);
    deepStrictEqual(responses, [
      [303, publicUrl, `${site.url}/uploads`],
      [200, `${server.env.S3_ENDPOINT}/uploads/${key}`, ""],
    ]);
    // Someone else's page gets nothing.
    await page.context().clearCookies();
    strictEqual((await page.request.get(publicUrl)).status(), 404);
  });
});
