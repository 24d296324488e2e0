import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { DAY_SECONDS, HOUR_SECONDS, SECOND_MS } from "../../lib/duration.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { Page, readPage } from "../support/app/page_reader.ts";
import { BASE_URL, openSharedTestApp } from "../support/app/test_app.ts";
import { markupProblems } from "../support/browser/markup.ts";
import { openUploader, type Uploader } from "../support/uploads/upload_world.ts";

const app = await openSharedTestApp({ LIMIT_LINK: "3/3600" });
app.advance((Date.now() - app.services.now().getTime()) / SECOND_MS);
const guest = app.client();

/** Sends the form of the uploads page, as browsers do without scripts. */
async function upload(
  { client }: Uploader,
  { visibility, files = [textFile()] }: { visibility?: string; files?: File[] } = {},
) {
  app.advance(1 / SECOND_MS); // puts the ids in order
  const form = new FormData();
  if (visibility !== undefined) form.set("visibility", visibility);
  for (const file of files) form.append("file", file);
  return await client.request("/uploads", { method: "POST", body: form, headers: { Origin: BASE_URL } });
}

/** Browsers show it. */
function pdfFile(): File {
  return new File(["%PDF-1.7"], "passport.pdf", { type: "application/pdf" });
}

/** Browsers save it. */
function textFile(): File {
  return new File(["hello"], "passport.txt", { type: "text/plain" });
}

/** Returns the path of the page of a new private file. */
async function privateFilePage(user: Uploader, file = pdfFile()): Promise<string> {
  strictEqual((await upload(user, { visibility: "private", files: [file] })).status, 303);
  const [{ id }] = await user.list();
  return `/uploads/${id}`;
}

/** Creates a link on the page. Returns it, and the page that shows it. */
async function create({ client }: Uploader, path: string, fields: Record<string, string> = {}) {
  const response = await client.submit(path, { action: "create", expiresIn: "3600", ...fields });
  deepStrictEqual([response.status, response.headers.get("Location")], [303, path]);
  const page = await readPage(client.get(path));
  return { url: page.textAt("code.secret")!, page };
}

const statusOf = async (url: string) => {
  const response = await guest.get(url.slice(BASE_URL.length));
  await response.body?.cancel();
  return response.status;
};

Deno.test("the form uploads private files unless everyone with the address is chosen", async () => {
  const cases: [visibility: string | undefined, stored: string][] = [
    [undefined, "private"],
    ["private", "private"],
    ["public", "public"],
  ];
  for (const [visibility, stored] of cases) {
    const user = await openUploader(app);
    strictEqual((await upload(user, { visibility })).status, 303);
    deepStrictEqual((await user.list()).map(({ visibility }) => visibility), [stored], String(visibility));
  }
  const user = await openUploader(app);
  const refused = await upload(user, { visibility: "secret" });
  strictEqual(refused.status, 400);
  ok((await readPage(refused)).textAt("#visibility-error"));
  deepStrictEqual(await user.list(), []);
});

Deno.test("after an error, the form keeps the choice", async () => {
  const user = await openUploader(app);
  const checked = async (response: Response) =>
    (await readPage(response)).find('[name="visibility"][checked]').getAttribute("value");
  strictEqual(await checked(await user.client.get("/uploads")), "private");
  const files = [new File(["<p>"], "page.html", { type: "text/html" })];
  for (const visibility of ["private", "public"]) {
    const response = await upload(user, { visibility, files });
    strictEqual(response.status, 400);
    strictEqual(await checked(response), visibility);
  }
});

Deno.test("while no private files can be stored, the form says so and keeps the choice", async () => {
  const { objects } = app.services;
  const { presignPut } = objects;
  objects.presignPut = (grant, seconds) => {
    if (!grant.key.startsWith("private/")) return presignPut.call(objects, grant, seconds);
    return Promise.reject(new AppError("UNAVAILABLE", { reason: "private", retryAfterSeconds: 30 }));
  };
  try {
    const user = await openUploader(app);
    const file = [textFile(), textFile()];
    for (const files of [file.slice(1), file]) {
      const response = await upload(user, { visibility: "private", files });
      strictEqual(response.status, files.length === 1 ? 503 : 400);
      const html = await response.text();
      match(html, /Private files can’t be uploaded right now\. Try again later\./);
      ok(new Page(html).find('[value="private"][checked]'));
      deepStrictEqual(await markupProblems(html), []);
    }
    strictEqual((await upload(user, { visibility: "public" })).status, 303);
  } finally {
    objects.presignPut = presignPut;
  }
});

Deno.test("the list says who can open each file, and offers to share private ones and to copy links of others", async () => {
  const user = await openUploader(app);
  const path = await privateFilePage(user);
  await user.store();
  for (const page of ["/uploads", "/dashboard"]) {
    const { text } = await readPage(user.client.get(page));
    match(text, /a\.txt Anyone with the link · 5 bytes .*passport\.pdf Only you · 8 bytes/, page);
  }
  const page = await readPage(user.client.get("/uploads"));
  ok(page.leadsTo(path));
  strictEqual(page.findAll('[aria-label^="Copy link to "]').length, 1);
});

Deno.test("files are found by who can open them", async () => {
  const user = await openUploader(app);
  const path = await privateFilePage(user);
  const { id } = await user.store();
  const cases: [query: string, ids: string[]][] = [
    ["only=private", [path.slice("/uploads/".length)]],
    ["only=public", [id]],
    ["only=public&query=passport", []],
    ["only=&query=passport", [path.slice("/uploads/".length)]],
  ];
  for (const [query, ids] of cases) {
    const response = await user.client.get(`/uploads?${query}`);
    const html = await response.text();
    const page = new Page(html);
    deepStrictEqual(page.findAll('[type="checkbox"][name]').map((box) => box.getAttribute("name")), ids, query);
    strictEqual(html.includes("No files found"), ids.length === 0, query);
    const [, only] = /only=(\w+)/.exec(query) ?? [];
    if (only !== undefined) strictEqual(page.field("only").value, only, query);
    deepStrictEqual(await markupProblems(html), [], query);
  }
  strictEqual((await user.client.get("/uploads?only=secret")).status, 400);
});

Deno.test("a page creates links that others can open until they expire", async () => {
  const user = await openUploader(app);
  const path = await privateFilePage(user);
  const { url, page } = await create(user, path);
  match(url, new RegExp(`^${BASE_URL}/files/private/${user.id}/[^/]+-passport\\.pdf\\?link=[\\w-]+$`));
  strictEqual(page.notice, "Link created.");
  match(page.text, /Works until/);
  ok(page.find("main time"));
  deepStrictEqual(await markupProblems(page.html), []);
  const opened = await guest.get(url.slice(BASE_URL.length));
  deepStrictEqual([opened.status, await opened.text()], [200, "%PDF-1.7"]);
  ok(!opened.headers.get("Content-Disposition")?.startsWith("attachment"));
  app.advance(HOUR_SECONDS - 1);
  strictEqual(await statusOf(url), 200);
  app.advance(1);
  strictEqual(await statusOf(url), 404);

  const text = await user.client.get(await privateFilePage(user, textFile()));
  ok(!(await readPage(text)).fieldNames.includes("download"), "a file that is never shown");

  const saved = await create(user, path, { expiresIn: String(DAY_SECONDS), download: "on" });
  const download = await guest.get(saved.url.slice(BASE_URL.length));
  match(download.headers.get("Content-Disposition")!, /^attachment/);
  await download.body?.cancel();
  app.advance(DAY_SECONDS - 1);
  strictEqual(await statusOf(saved.url), 200);
});

Deno.test("a new link is shown once, to the session that created it, and is not stored as it is", async () => {
  const user = await openUploader(app);
  const path = await privateFilePage(user);
  const response = await user.client.submit(path, { action: "create", expiresIn: "3600" });
  const headers = JSON.stringify([...response.headers]);
  ok(!headers.includes("link="), headers);
  const other = await privateFilePage(user);
  ok(!(await (await user.client.get(other)).text()).includes("link="), "the page of another file");
  const html = await (await user.client.get(path)).text();
  const [, token] = /link=([\w-]+)/.exec(html)!;
  ok(!(await (await user.client.get(path)).text()).includes("link="), "a reload");
  for (const table of ["uploads", "submissions", "events"] as const) {
    const rows = await app.services.db.selectFrom(table).selectAll().execute();
    ok(!JSON.stringify(rows).includes(token), table);
  }
});

Deno.test("a button ends all links to a file, and no others", async () => {
  const user = await openUploader(app);
  const [path, other] = [await privateFilePage(user), await privateFilePage(user)];
  const links = [await create(user, path), await create(user, path)].map(({ url }) => url);
  const kept = await create(user, other);
  const response = await user.client.submit(path, { action: "end" });
  deepStrictEqual([response.status, response.headers.get("Location")], [303, path]);
  match(await (await user.client.get(path)).text(), /All links to this file have ended\./);
  for (const url of links) strictEqual(await statusOf(url), 404);
  strictEqual(await statusOf(kept.url), 200);
});

Deno.test("creating links has a limit, and ending them works beyond it", async () => {
  const user = await openUploader(app);
  const path = await privateFilePage(user);
  for (let i = 0; i < 3; i++) await create(user, path);
  const refused = await user.client.submit(path, { action: "create", expiresIn: String(DAY_SECONDS), download: "on" });
  strictEqual(refused.status, 429);
  const page = await readPage(refused);
  match(page.message!, /Too many attempts/);
  ok(page.find('[value="86400"][checked]'), "the choice is kept");
  ok(page.field("download").isChecked);
  strictEqual((await user.client.submit(path, { action: "end" })).status, 303);
});

Deno.test("a form with a wrong choice is refused", async () => {
  const user = await openUploader(app);
  const path = await privateFilePage(user);
  for (const expiresIn of ["", "60", "604801", "x"]) {
    const refused = await user.client.submit(path, { action: "create", expiresIn });
    strictEqual(refused.status, 400, expiresIn);
    const html = await refused.text();
    ok(new Page(html).textAt("#expiresIn-error"));
    deepStrictEqual(await markupProblems(html), []);
  }
  strictEqual((await user.client.submit(path, { action: "burn" })).status, 400);
});

Deno.test("only the owner has the page, and only for private files that are stored", async () => {
  const [user, stranger] = [await openUploader(app), await openUploader(app)];
  const path = await privateFilePage(user);
  const shared = await user.store();
  const pending = await user.presign({ visibility: "private" });
  const paths = [`/uploads/${shared.id}`, `/uploads/${pending.id}`, `/uploads/${crypto.randomUUID()}`, "/uploads/x"];
  for (const missing of paths) {
    strictEqual((await user.client.get(missing)).status, 404, missing);
    strictEqual((await user.client.submit(missing, { action: "create", expiresIn: "3600" })).status, 404, missing);
  }
  strictEqual((await stranger.client.get(path)).status, 404);
  strictEqual((await stranger.client.submit(path, { action: "end" })).status, 404);
  strictEqual((await stranger.client.submit(path, { action: "create", expiresIn: "3600" })).status, 404);
  const page = await guest.get(path);
  strictEqual(page.headers.get("Location"), `/login?next=${encodeURIComponent(path)}`);
});
