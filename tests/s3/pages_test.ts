import { Buffer } from "node:buffer";
import { ok, strictEqual } from "node:assert/strict";
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
const NOTES = { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("for the bucket") };
const PICTURE = { name: "me.png", mimeType: "image/png", buffer: await quarters().png().toBuffer() };

for (const { way, javaScriptEnabled } of BOTH_WAYS) {
  Deno.test(`a file and a photo reach the bucket under the pages' security policy, ${way}`, async () => {
    await withPage(site.browser, async (page) => {
      await site.logIn(page.context(), `bucket-${javaScriptEnabled}@example.com`);
      const puts: string[] = [];
      page.on("request", (request) => request.method() === "PUT" && puts.push(new URL(request.url()).origin));
      await page.goto(`${site.url}/uploads`, { waitUntil: "networkidle" });
      await page.getByLabel("Choose files").setInputFiles(NOTES);
      if (!javaScriptEnabled) await page.getByRole("button", { name: "Upload" }).click();
      const link = (await page.getByRole("link", { name: "notes.txt", exact: true }).getAttribute("href"))!;
      ok(link.startsWith(`${server.env.S3_PUBLIC_URL}/uploads/`), link);
      strictEqual(await (await page.request.get(link)).text(), "for the bucket");
      strictEqual(
        puts.join(),
        javaScriptEnabled ? server.env.S3_ENDPOINT : "",
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
