import { Buffer } from "node:buffer";
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { type Page, withPage } from "../support/browser.ts";
import { openSharedSite } from "../support/shared_site.ts";

const site = await openSharedSite();

/** Answers as the store would; what it is given comes later, as on a slow network. */
async function fakeStore(page: Page, { isReleased = Promise.resolve() }: { isReleased?: Promise<void> } = {}) {
  const stored = new Map<string, { contentType: string; sizeBytes: number }>();
  await page.route("**/api/upload/presign", async (route) => {
    const { filename, contentType, size } = route.request().postDataJSON();
    if (contentType === "text/html") {
      return await route.fulfill({ status: 400, json: { message: "Files of this type are not allowed", details: {} } });
    }
    const key = `uploads/someone/${filename}?declared=${contentType},${size}`;
    const json = {
      success: true,
      presignedUrl: `${site.url}/files/${key}`,
      publicUrl: `${site.url}/files/${filename}`,
    };
    await route.fulfill({ json: { ...json, key, expiresIn: 300 } });
  });
  await page.route("**/files/uploads/**", async (route) => {
    await isReleased;
    const name = decodeURIComponent(new URL(route.request().url()).pathname.split("/").at(-1)!);
    const contentType = await route.request().headerValue("content-type") ?? "";
    stored.set(name, { contentType, sizeBytes: route.request().postDataBuffer()?.length ?? 0 });
    await route.fulfill({ status: 200, body: "" }).catch(() => {}); // the page has stopped it
  });
  return stored;
}

const text = (name: string, content = "hello") => ({ name, mimeType: "text/plain", buffer: Buffer.from(content) });

Deno.test("several files go up at once, slowly and visibly, and each has its link", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "several@example.com");
    const released = Promise.withResolvers<void>();
    const stored = await fakeStore(page, { isReleased: released.promise });
    await page.getByLabel("Choose files").setInputFiles(["a", "b", "c", "d"].map((name) => text(`${name}.txt`)));
    await page.getByRole("button", { name: "Upload" }).click();
    await page.getByRole("progressbar", { name: "Sending c.txt" }).waitFor();
    await page.getByText("Waiting for its turn").waitFor();
    strictEqual(await page.getByRole("progressbar").count(), 3);
    released.resolve();
    await page.getByRole("link", { name: `${site.url}/files/d.txt` }).waitFor();
    deepStrictEqual([...stored.keys()].sort(), ["a.txt", "b.txt", "c.txt", "d.txt"]);
    deepStrictEqual(stored.get("a.txt"), { contentType: "text/plain", sizeBytes: 5 });

    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy the link to b.txt" }).click();
    strictEqual(await page.evaluate(() => navigator.clipboard.readText()), `${site.url}/files/b.txt`);
  });
});

Deno.test("what is stopped, lost or refused says so and can be tried again", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "offline@example.com");
    const released = Promise.withResolvers<void>();
    const stored = await fakeStore(page, { isReleased: released.promise });
    await page.getByLabel("Choose files").setInputFiles([text("stopped.txt"), text("lost.txt")]);
    await page.getByRole("button", { name: "Upload" }).click();
    await page.getByRole("button", { name: "Cancel stopped.txt" }).click();
    await page.getByText("Stopped.", { exact: true }).waitFor();

    // The connection breaks while lost.txt is on its way.
    await page.unroute("**/files/uploads/**");
    await page.route("**/files/uploads/**", (route) => route.abort("internetdisconnected"));
    await page.context().setOffline(true);
    await page.getByText("You are offline").waitFor();
    await page.getByRole("button", { name: "Cancel lost.txt" }).click();
    await page.getByRole("button", { name: "Try lost.txt again" }).click();
    await page.getByText("There is no connection").waitFor();

    await page.context().setOffline(false);
    await page.getByText("You are offline").waitFor({ state: "detached" });
    await page.unroute("**/files/uploads/**");
    await page.unroute("**/api/upload/presign");
    released.resolve();
    const after = await fakeStore(page);
    await page.getByRole("button", { name: "Try lost.txt again" }).click();
    await page.getByRole("link", { name: `${site.url}/files/lost.txt` }).waitFor();
    await page.getByRole("button", { name: "Try stopped.txt again" }).click();
    await page.getByRole("link", { name: `${site.url}/files/stopped.txt` }).waitFor();
    deepStrictEqual([...after.keys()].sort(), ["lost.txt", "stopped.txt"]);
    strictEqual(stored.size <= 2, true);

    await page.getByLabel("Choose files").setInputFiles(text("nothing.txt", ""));
    await page.getByRole("button", { name: "Upload" }).click();
    await page.getByText("The file is empty.").waitFor();

    await page.getByLabel("Choose files").setInputFiles({ ...text("page.html"), mimeType: "text/html" });
    await page.getByRole("button", { name: "Upload" }).click();
    await page.getByText("Files of this type are not allowed.").waitFor();
  }, { allow: [/ERR_INTERNET_DISCONNECTED/, /status of 400/] });
});

Deno.test("the keyboard stays with a file, whatever becomes of it", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "focus@example.com");
    const released = Promise.withResolvers<void>();
    await fakeStore(page, { isReleased: released.promise });
    await page.getByLabel("Choose files").setInputFiles(["a", "b", "c", "d"].map((name) => text(`${name}.txt`)));
    await page.getByRole("button", { name: "Upload" }).click();
    const focused = () => page.evaluate(() => document.activeElement?.ariaLabel);
    await page.getByRole("button", { name: "Cancel a.txt" }).press("Enter");
    await page.getByText("Stopped.", { exact: true }).waitFor();
    strictEqual(await focused(), "Try a.txt again");
    await page.keyboard.press("Enter");
    await page.getByText("Stopped.", { exact: true }).waitFor({ state: "detached" });
    strictEqual(await focused(), "Cancel a.txt", "it waits for its turn");
    await page.keyboard.press("Enter");
    await page.getByText("Stopped.", { exact: true }).waitFor();
    await page.keyboard.press("Enter");
    released.resolve();
    await page.getByRole("link", { name: `${site.url}/files/a.txt` }).waitFor();
    strictEqual(await focused(), "Copy the link to a.txt");
  });
});

Deno.test("a double click on Cancel does not send the file again", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "twice@example.com");
    await fakeStore(page, { isReleased: new Promise(() => {}) });
    await page.getByLabel("Choose files").setInputFiles(text("a.txt"));
    await page.getByRole("button", { name: "Upload" }).click();
    await page.getByRole("button", { name: "Cancel a.txt" }).dblclick();
    await page.getByRole("button", { name: "Try a.txt again" }).waitFor();
  });
});

Deno.test("copying a link says whether it worked, and is offered only where it can", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "copied@example.com");
    await fakeStore(page);
    await upload(page, text("a.txt"));
    const copy = page.getByRole("button", { name: "Copy the link to a.txt" });
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await copy.click();
    await page.getByRole("status").getByText("Copied.").waitFor();

    await page.evaluate(() => navigator.clipboard.writeText = () => Promise.reject(new Error("not allowed")));
    await copy.click();
    await page.getByRole("status").getByText("This could not be copied. The link is selected").waitFor();
    strictEqual(await page.evaluate(() => String(getSelection())), `${site.url}/files/a.txt`);

    await page.evaluate(() => Reflect.deleteProperty(Navigator.prototype, "clipboard"));
    await upload(page, text("b.txt"));
    await page.getByRole("link", { name: `${site.url}/files/b.txt` }).waitFor();
    strictEqual(await page.getByRole("button", { name: "Copy the link to b.txt" }).count(), 0);
  });
});

Deno.test("a file that can never be sent is not offered for another try", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "never@example.com");
    await upload(page, text("nothing.txt", ""));
    await page.getByText("The file is empty.").waitFor();
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(25 * 1024 * 1024 + 1)], "large.bin"));
      document.querySelector("form.drop")!.dispatchEvent(new DragEvent("drop", { dataTransfer: data }));
    });
    await page.getByText("The file is larger than 25 MiB.").waitFor();
    strictEqual(await page.getByRole("list", { name: "Your uploads" }).getByRole("button").count(), 0);
  });
});

Deno.test("the error for a wrong size never counts bytes", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "bytes@example.com");
    for (const [path, status] of [["**/files/uploads/**", 403], ["**/api/upload/presign", 413]] as const) {
      const json = { message: "The upload must be exactly 5 bytes, the declared size", details: {} };
      await page.route(path, (route) => route.fulfill({ status, json }));
      await upload(page, text(`${status}.txt`));
      await page.getByRole("button", { name: `Try ${status}.txt again` }).waitFor();
    }
    deepStrictEqual(await page.locator(".uploads .field-error").allTextContents(), [
      "The upload was refused. Try again.",
      "This is too large to send.",
    ]);
  }, { allow: [/status of 4(03|13)/] });
});

Deno.test("who is logged out meanwhile is led to the login beside the file", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "ended-upload@example.com");
    const cookies = await page.context().cookies();
    await page.context().clearCookies();
    await upload(page, text("a.txt"));
    await page.getByText("Your session has ended.").waitFor();
    strictEqual(await page.getByRole("link", { name: "Log in again" }).getAttribute("target"), "_blank");
    await page.context().addCookies(cookies);
    await page.getByRole("button", { name: "Try a.txt again" }).click();
    await page.getByRole("button", { name: "Copy the link to a.txt" }).waitFor();
  }, { allow: [/status of 401/] });
});

Deno.test("a file that is chosen arrives at the store, and its link leads there", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "real@example.com");
    await page.getByLabel("Choose files").setInputFiles(text("real notes.txt", "for real"));
    await page.getByRole("button", { name: "Upload" }).click();
    const link = await page.getByRole("list", { name: "Your uploads" }).getByRole("link").getAttribute("href");
    strictEqual(await (await page.request.get(link!)).text(), "for real");
  });
});

Deno.test("without scripts a file goes up through a form, and the next page has its link", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "plain@example.com");
    await page.getByLabel("Choose files").setInputFiles({ ...text("page.html"), mimeType: "text/html" });
    await page.getByRole("button", { name: "Upload" }).click();
    await page.locator("[role=alert]:focus").getByRole("link", { name: "Choose files" }).click();
    strictEqual(await page.locator("input:focus").getAttribute("name"), "file");
    await page.locator(".field-error").getByText("not allowed").waitFor();
    await page.getByLabel("Choose files").setInputFiles(text("my notes.txt", "as a form"));
    await page.getByRole("button", { name: "Upload" }).click();
    await page.getByText("Your file is stored.").waitFor();
    await page.getByText("my_notes.txt", { exact: true }).waitFor();
    const link = await page.getByRole("main").getByRole("link").getAttribute("href");
    strictEqual(await (await page.request.get(link!)).text(), "as a form");
  }, { javaScriptEnabled: false, allow: [/status of 400/] });
});

async function upload(page: Page, file: ReturnType<typeof text>): Promise<void> {
  await page.getByLabel("Choose files").setInputFiles(file);
  await page.getByRole("button", { name: "Upload" }).click();
}

async function visit(page: Page, email: string): Promise<void> {
  await site.logIn(page.context(), email);
  await page.goto(`${site.url}/uploads`, { waitUntil: "networkidle" });
}
