import { Buffer } from "node:buffer";
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { assertLeaves, assertWarns, type Page, withPage } from "../support/browser/browser.ts";
import { openSharedSite } from "../support/browser/shared_site.ts";

const site = await openSharedSite();

/** Responds like the object store, but only once `isReleased` resolves, as on a slow network. */
async function fakeStore(page: Page, { isReleased = Promise.resolve() }: { isReleased?: Promise<void> } = {}) {
  const stored = new Map<string, { contentType: string; sizeBytes: number }>();
  await page.route("**/api/upload/presign", async (route) => {
    const { filename, contentType, size } = route.request().postDataJSON();
    if (contentType === "text/html") {
      return await route.fulfill({ status: 400, json: { code: "FILE_TYPE_NOT_ALLOWED" } });
    }
    const key = `uploads/someone/${filename}?declared=${contentType},${size}`;
    const json = {
      success: true,
      id: filename,
      presignedUrl: `${site.url}/files/${key}`,
      publicUrl: `${site.url}/files/${filename}`,
    };
    await route.fulfill({ json: { ...json, key, expiresIn: 300 } });
  });
  await page.route("**/api/uploads/*/confirm", (route) => route.fulfill({ json: {} }));
  await page.route("**/files/uploads/**", async (route) => {
    await isReleased;
    const name = decodeURIComponent(new URL(route.request().url()).pathname.split("/").at(-1)!);
    const contentType = await route.request().headerValue("content-type") ?? "";
    stored.set(name, { contentType, sizeBytes: route.request().postDataBuffer()?.length ?? 0 });
    await route.fulfill({ status: 200, body: "" }).catch(() => {}); // fails if the page has canceled it
  });
  return stored;
}

type TextFile = ReturnType<typeof text>;

const text = (name: string, content = "hello") => ({ name, mimeType: "text/plain", buffer: Buffer.from(content) });

Deno.test("a picture is uploaded with the type of its content, not of its name", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "misnamed@example.com");
    const stored = await fakeStore(page);
    const webp = Buffer.from("RIFF\0\0\0\0WEBP");
    await page.getByLabel("Choose files").setInputFiles([{ name: "a.jpg", mimeType: "image/jpeg", buffer: webp }]);
    await page.getByRole("link", { name: "a.jpg", exact: true }).waitFor();
    deepStrictEqual(stored.get("a.jpg"), { contentType: "image/webp", sizeBytes: webp.length });
  });
});

Deno.test("three files are uploaded at a time, with progress, and each gets a link", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "several@example.com");
    const released = Promise.withResolvers<void>();
    const stored = await fakeStore(page, { isReleased: released.promise });
    await page.getByLabel("Choose files").setInputFiles(["a", "b", "c", "d"].map((name) => text(`${name}.txt`)));
    await page.getByRole("progressbar", { name: "Uploading c.txt" }).waitFor();
    await page.getByRole("status").getByText("0 of 4 uploaded").waitFor();
    await page.getByText("Waiting…").waitFor();
    strictEqual(await page.getByRole("progressbar").count(), 3);
    released.resolve();
    await page.getByRole("link", { name: "d.txt", exact: true }).waitFor();
    await page.getByRole("status").getByText("4 of 4 uploaded").waitFor();
    deepStrictEqual([...stored.keys()].sort(), ["a.txt", "b.txt", "c.txt", "d.txt"]);
    deepStrictEqual(stored.get("a.txt"), { contentType: "text/plain", sizeBytes: 5 });

    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy link to b.txt" }).click();
    await page.getByText("Link copied").waitFor();
    strictEqual(await page.evaluate(() => navigator.clipboard.readText()), `${site.url}/files/b.txt`);
  });
});

Deno.test("canceled and failed uploads say so and can be retried", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "offline@example.com");
    const released = Promise.withResolvers<void>();
    const aborted: string[] = [];
    page.on("requestfailed", (request) => aborted.push(new URL(request.url()).pathname.split("/").at(-1)!));
    await fakeStore(page, { isReleased: released.promise });
    await page.getByLabel("Choose files").setInputFiles([text("stopped.txt"), text("lost.txt")]);
    await page.getByRole("button", { name: "Cancel stopped.txt" }).click();
    await page.getByText("Canceled", { exact: true }).waitFor();

    // The connection breaks during the upload of lost.txt.
    await page.unroute("**/files/uploads/**");
    await page.route("**/files/uploads/**", (route) => route.abort("internetdisconnected"));
    await page.context().setOffline(true);
    await page.getByText("You’re offline. Your").waitFor();
    await page.getByRole("button", { name: "Cancel lost.txt" }).click();
    await page.getByRole("button", { name: "Retry lost.txt" }).click();
    await page.getByText("Something went wrong. Try again.").waitFor();
    strictEqual(await page.getByText("You’re offline").count(), 1);

    await page.context().setOffline(false);
    await page.getByText("You’re offline").waitFor({ state: "detached" });
    await page.unroute("**/files/uploads/**");
    await page.unroute("**/api/upload/presign");
    released.resolve();
    const after = await fakeStore(page);
    await page.getByRole("button", { name: "Retry lost.txt" }).click();
    await page.getByRole("link", { name: "lost.txt", exact: true }).waitFor();
    await page.getByRole("button", { name: "Retry stopped.txt" }).click();
    await page.getByRole("link", { name: "stopped.txt", exact: true }).waitFor();
    deepStrictEqual([...after.keys()].sort(), ["lost.txt", "stopped.txt"]);
    deepStrictEqual(aborted.filter((name) => name === "stopped.txt"), ["stopped.txt"]);

    await page.getByLabel("Choose files").setInputFiles(text("nothing.txt", ""));
    await page.getByText("This file is empty").waitFor();

    await page.getByLabel("Choose files").setInputFiles({ ...text("page.html"), mimeType: "text/html" });
    await page.getByText("HTML files can’t be uploaded").waitFor();
  }, { allow: [/ERR_INTERNET_DISCONNECTED/, /status of 400/] });
});

Deno.test("the focus stays on the button of a file in every state", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "focus@example.com");
    const released = Promise.withResolvers<void>();
    await fakeStore(page, { isReleased: released.promise });
    await page.getByLabel("Choose files").setInputFiles(["a", "b", "c", "d"].map((name) => text(`${name}.txt`)));
    const assertFocused = (name: string) => page.locator(`[aria-label="${name}"]:focus`).waitFor();
    await page.getByRole("button", { name: "Cancel a.txt" }).press("Enter");
    await page.getByText("Canceled", { exact: true }).waitFor();
    await assertFocused("Retry a.txt");
    await page.keyboard.press("Enter");
    await page.getByText("Canceled", { exact: true }).waitFor({ state: "detached" });
    await assertFocused("Cancel a.txt"); // a.txt is in the queue again
    await page.keyboard.press("Enter");
    await page.getByText("Canceled", { exact: true }).waitFor();
    await page.keyboard.press("Enter");
    released.resolve();
    await page.getByRole("link", { name: "a.txt", exact: true }).waitFor();
    await assertFocused("Copy link to a.txt");
  });
});

Deno.test("a double click on Cancel does not retry the upload", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "twice@example.com");
    await fakeStore(page, { isReleased: new Promise(() => {}) });
    await page.getByLabel("Choose files").setInputFiles(text("a.txt"));
    await page.getByRole("button", { name: "Cancel a.txt" }).dblclick();
    await page.getByRole("button", { name: "Retry a.txt" }).waitFor();
  });
});

Deno.test("copying a link reports the result, and is offered only where the clipboard is available", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "copied@example.com");
    await fakeStore(page);
    await choose(page, text("a.txt"));
    const copy = page.getByRole("button", { name: "Copy link to a.txt" });
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await copy.click();
    await page.getByRole("status").getByText("Link copied").waitFor();

    await page.evaluate(() => navigator.clipboard.writeText = () => Promise.reject(new Error("not allowed")));
    await copy.click();
    await page.getByRole("status").getByText("Couldn’t copy the link. Right-click the file’s name").waitFor();

    await page.evaluate(() => Reflect.deleteProperty(Navigator.prototype, "clipboard"));
    await choose(page, text("b.txt"));
    await page.getByRole("link", { name: "b.txt", exact: true }).waitFor();
    strictEqual(await page.getByRole("button", { name: "Copy link to b.txt" }).count(), 0);
  });
});

Deno.test("a file that is empty or too large cannot be retried", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "never@example.com");
    await choose(page, text("nothing.txt", ""));
    await page.getByText("This file is empty").waitFor();
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(25 * 1024 * 1024 + 1)], "large.bin"));
      document.querySelector(".drop")!.dispatchEvent(new DragEvent("drop", { bubbles: true, dataTransfer: data }));
    });
    await page.getByText("This file is larger than 25 MB").waitFor();
    strictEqual(await page.getByRole("list", { name: "Your uploads" }).getByRole("button").count(), 0);
  });
});

Deno.test("an error is shown in plain words, and only offers another attempt that can help", async () => {
  const cases: [path: string, status: number, body: string, problem: string, isRetryable: boolean][] = [
    ["**/files/uploads/**", 403, "The URL has expired", "The server didn’t accept this file. Try again.", true],
    ["**/files/uploads/**", 400, "<Error/>", "This file can’t be uploaded. Choose another one.", false],
    ["**/api/upload/presign", 413, "<html>", "This file is larger than 25 MB", false],
    ["**/api/upload/presign", 400, '{"code":"FILE_TYPE_NOT_ALLOWED"}', "TXT files can’t be uploaded", false],
    ["**/api/upload/presign", 429, "", "Too many attempts. Try again in a minute.", true],
    ["**/api/upload/presign", 500, "<html>", "Something went wrong. Try again.", true],
    ["**/api/upload/presign", 503, "", "The server is busy. Try again shortly.", true],
  ];
  await withPage(site.browser, async (page) => {
    await visit(page, "bytes@example.com");
    for (const [index, [path, status, body, problem, isRetryable]] of cases.entries()) {
      await page.route(path, (route) => route.fulfill({ status, body }));
      await choose(page, text(`${status}.txt`));
      const item = page.getByRole("list", { name: "Your uploads" }).getByRole("listitem").nth(index);
      await item.getByText(problem).waitFor();
      strictEqual(await item.getByRole("button", { name: "Retry" }).count(), isRetryable ? 1 : 0, problem);
      await page.unroute(path);
    }
  }, { allow: [/status of [45]\d\d/] });
});

Deno.test("dropped and chosen files start to upload at once", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "same@example.com");
    await fakeStore(page);
    strictEqual(await page.getByRole("button", { name: "Upload" }).count(), 0);
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File(["hello"], "dropped.txt"));
      document.querySelector(".drop")!.dispatchEvent(new DragEvent("drop", { bubbles: true, dataTransfer: data }));
    });
    await page.getByRole("link", { name: "dropped.txt", exact: true }).waitFor();
    await choose(page, text("chosen.txt"));
    await page.getByRole("link", { name: "chosen.txt", exact: true }).waitFor();
    strictEqual(await page.getByLabel("Choose files").inputValue(), "", "the same file can be chosen again");
  });
});

Deno.test("a file can be dropped anywhere on the page, which shows where, and text still into fields", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "beside@example.com");
    await fakeStore(page);
    /** Returns whether the browser would still do what it does with the dragged thing. */
    const drag = (type: string, what: "file" | "text" = "file") =>
      page.locator("footer").evaluate((element, [type, what]) => {
        const dataTransfer = new DataTransfer();
        if (what === "file") dataTransfer.items.add(new File(["hello"], "beside.txt"));
        else dataTransfer.setData("text/plain", "hello");
        return element.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
      }, [type, what]);
    const isMarked = () => page.locator(".over .drop").count();
    strictEqual(await drag("dragover", "text"), true);
    strictEqual(await drag("drop", "text"), true);
    deepStrictEqual([await drag("dragover"), await isMarked()], [false, 1]);
    await drag("dragleave");
    strictEqual(await isMarked(), 0);
    await drag("dragover");
    deepStrictEqual([await drag("drop"), await isMarked()], [false, 0]);
    await page.getByRole("link", { name: "beside.txt", exact: true }).waitFor();
  });
});

Deno.test("leaving while an upload runs gives a warning", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "leaving@example.com");
    const released = Promise.withResolvers<void>();
    await fakeStore(page, { isReleased: released.promise });
    await choose(page, text("slow.txt"));
    await page.getByRole("progressbar").waitFor();
    await assertWarns(page, `${site.url}/users`);
    released.resolve();
    await page.getByRole("link", { name: "slow.txt", exact: true }).waitFor();
    await assertLeaves(page, `${site.url}/users`);
  });
});

Deno.test("the list and the space below follow each upload, and the new rows do what others do", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "reloading@example.com");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const files = page.getByRole("list", { name: "Your files" });
    const nameOf = (row: number) => files.getByRole("listitem").nth(row).getByRole("link").first().innerText();
    await page.getByText("0 bytes of").waitFor();
    await choose(page, text("a.txt"));
    await files.getByRole("link", { name: "a.txt", exact: true }).waitFor();
    await page.getByText("5 bytes of").waitFor();
    strictEqual(await page.locator("meter").getAttribute("value"), "5");
    strictEqual(await page.getByText("No files yet").count(), 0);

    await page.getByLabel("Select a.txt").check();
    await choose(page, [text("b.txt"), text("nothing.txt", "")]);
    await files.getByRole("link", { name: "b.txt", exact: true }).waitFor();
    deepStrictEqual([await nameOf(0), await nameOf(1)], ["b.txt", "a.txt"]);
    await page.getByText("10 bytes of").waitFor();
    ok(await page.getByLabel("Select a.txt").isChecked(), "what the person has selected stays");

    await files.getByRole("button", { name: "Copy link to b.txt" }).click();
    await files.getByText("Link copied").waitFor();
    match(await page.evaluate(() => navigator.clipboard.readText()), /\/files\/uploads\/.*-b\.txt$/);
    await page.getByLabel("Select b.txt").check();
    await page.getByRole("button", { name: "Delete selected" }).click();
    await page.getByText("2 files deleted").waitFor();
    strictEqual(await files.count(), 0);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Files restored.").waitFor();
    strictEqual(await files.getByRole("listitem").count(), 2);
    await page.evaluate(() => navigator.clipboard.writeText = () => Promise.reject(new Error("not allowed")));
    await files.getByRole("button", { name: "Copy link to b.txt" }).click();
    await files.getByText("Couldn’t copy the link.").waitFor();
  });
});

Deno.test("a list of stored files offers no button to copy where browsers offer no clipboard", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "insecure@example.com");
    await choose(page, text("a.txt"));
    await page.getByLabel("Select a.txt").waitFor();
    await page.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, "clipboard"));
    await page.reload();
    await page.getByLabel("Select a.txt").waitFor();
    strictEqual(await page.getByRole("button", { name: "Copy link to a.txt" }).count(), 0);
  });
});

Deno.test("a file whose content does not match its type is refused after the upload", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "mismatch@example.com");
    await choose(page, { ...text("a.png", "<html>"), mimeType: "image/png" });
    await page.getByText("The contents don’t match the file’s name").waitFor();
    strictEqual(await page.getByRole("button", { name: "Retry a.png" }).count(), 0);
  }, { allow: [/status of 400/] });
});

Deno.test("an upload without a session links to the login and can be retried", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "ended-upload@example.com");
    const cookies = await page.context().cookies();
    await page.context().clearCookies();
    await choose(page, text("a.txt"));
    await page.getByText("You’ve been logged out.").waitFor();
    strictEqual(await page.getByRole("link", { name: "Log in again" }).getAttribute("target"), "_blank");
    await page.context().addCookies(cookies);
    await page.getByRole("button", { name: "Retry a.txt" }).click();
    await page.getByRole("list", { name: "Your uploads" }).getByRole("button", { name: "Copy link to a.txt" })
      .waitFor();
  }, { allow: [/status of 401/] });
});

Deno.test("a chosen file is stored, and its link opens it", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "real@example.com");
    await page.getByLabel("Choose files").setInputFiles(text("real notes.txt", "for real"));
    const link = await page.getByRole("list", { name: "Your uploads" }).getByRole("link").getAttribute("href");
    strictEqual(await (await page.request.get(link!)).text(), "for real");
  });
});

Deno.test("without JavaScript, a form uploads files and the next page shows their links", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "plain@example.com");
    await page.getByLabel("Choose files").setInputFiles({ ...text("page.html"), mimeType: "text/html" });
    await page.getByRole("button", { name: "Upload" }).click();
    await page.locator("[role=alert]:focus").getByRole("link", { name: "HTML files can’t be uploaded" }).click();
    strictEqual(await page.locator("input:focus").getAttribute("name"), "file");
    await page.locator(".field-error").getByText("HTML files can’t be uploaded").waitFor();
    strictEqual(await page.getByLabel("Anyone with the link").isChecked(), true, "the choice is kept");
    await choose(page, [text("first.txt"), { ...text("page.html"), mimeType: "text/html" }]);
    await page.getByRole("button", { name: "Upload" }).click();
    const problems = page.locator("[role=alert]:focus");
    await problems.getByText("1 of 2 files uploaded").waitFor();
    await problems.getByRole("link", { name: "page.html: HTML files can’t be uploaded" }).waitFor();
    await page.getByRole("link", { name: "first.txt", exact: true }).waitFor();
    await choose(page, [text("my notes.txt", "as a form"), text("last.txt")]);
    await page.getByRole("button", { name: "Upload" }).click();
    await page.getByText("Files uploaded.").waitFor();
    strictEqual(await page.getByLabel("Only you").isChecked(), true, "a new form proposes private files");
    const link = await page.getByRole("link", { name: "my notes.txt", exact: true }).getAttribute("href");
    strictEqual(await (await page.request.get(link!)).text(), "as a form");
  }, { javaScriptEnabled: false, allow: [/status of 400/] });
});

async function choose(page: Page, file: TextFile | TextFile[]): Promise<void> {
  await page.getByLabel("Choose files").setInputFiles(file);
}

/** Opens the page, and chooses public files. */
async function visit(page: Page, email: string): Promise<void> {
  await site.logIn(page.context(), email);
  await page.goto(`${site.url}/uploads`, { waitUntil: "networkidle" });
  await page.getByLabel("Anyone with the link").check();
}
