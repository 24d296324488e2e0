import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import { logIn, PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { readPage } from "../support/app/page_reader.ts";
import { addPasskey } from "../support/app/passkeys.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import { openUploader, type Uploader, uploaderOf } from "../support/uploads/upload_world.ts";

const app = await openSharedTestApp();

const dashboard = ({ client }: Uploader) => readPage(client.get("/dashboard"));

Deno.test("the dashboard counts what completes an account, and says no more about it when all is done", async () => {
  const user = uploaderOf(app, await registerVerifiedUser(app, "steps@example.com"));
  match((await dashboard(user)).text, /Set up your account 0 of 3 done Add a photo /);
  const { url: avatar } = await user.image();
  await user.client.send("PUT", "/api/profile", { name: "Ada", bio: "Hello", avatar });
  match(
    (await dashboard(user)).text,
    / 2 of 3 done ✓ Photo added ✓ Profile filled in Add a passkey /,
  );
  await addPasskey(user.client);
  doesNotMatch((await dashboard(user)).text, /Set up|done|✓/);
});

Deno.test("after registration, the dashboard says once that the address must be confirmed", async () => {
  const client = app.client();
  const password = PASSWORD;
  await client.submit("/register", { name: "Ada", email: "once@example.com", password });
  const page = await readPage(client.get("/dashboard"));
  strictEqual(page.notice, null);
  strictEqual(page.text.match(/Confirm your email address/g)!.length, 1);
  match(page.text, /We emailed a link to once@example\.com/);
  match(page.title, /^Dashboard · /);
});

Deno.test("the dashboard shows the newest three files, and how to upload one", async () => {
  const user = await openUploader(app);
  match((await dashboard(user)).text, /No files yet/);
  const foreign = await (await openUploader(app)).store();
  await user.presign({ filename: "pending.txt" });
  const files = [await user.store(), await user.store(), await user.store(), await user.store()];
  const links = (await dashboard(user)).links.map(({ href }) => href!);
  const urls = [foreign, ...files].map(({ publicUrl }) => publicUrl);
  deepStrictEqual(links.filter((link) => urls.includes(link)), urls.slice(2).reverse());
});

Deno.test("the dashboard shows the last login with its device", async () => {
  const user = await openUploader(app);
  await logIn(user.client, user.email);
  match((await dashboard(user)).text, /Recent activity All activity Logged in with a password .+· [\d.:]+\s*· /);
});
