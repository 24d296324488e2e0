import { deepStrictEqual, match } from "node:assert/strict";
import { DAY_SECONDS, SECOND_MS } from "../../lib/duration.ts";
import { reportUploads } from "../../lib/uploads/upload_report.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import { later, openUploader } from "../support/uploads/upload_world.ts";

const app = await openSharedTestApp();
app.advance((Date.now() - app.services.now().getTime()) / SECOND_MS);

Deno.test("the report names what the sweeps will do, and changes nothing", async () => {
  const { services } = app;
  const user = await openUploader(app);
  const bytes = (text: string) => new TextEncoder().encode(text);
  const [kept, missing] = [await user.store(), await user.store("hello", "private")];
  await user.store("hello", "private");
  await services.objects.delete(missing.key);
  const unused = await user.presign();
  const unconfirmed = await user.presign();
  await user.put(unconfirmed);
  const photos = [await user.image(), await user.image()];
  for (const { url } of photos) await user.client.send("PUT", "/api/profile", { avatar: url });
  const adopted = `uploads/${user.id}/${crypto.randomUUID()}-old.txt`;
  const post = `images/post/${crypto.randomUUID()}.webp`;
  const orphan = `private/nobody/${crypto.randomUUID()}-old.txt`;
  const alsoAdopted = `private/${user.id}/${crypto.randomUUID()}-old.txt`;
  for (const key of [adopted, alsoAdopted, post, orphan]) await services.objects.put(key, bytes("old"), "text/plain");

  const state = async () => ({
    rows: await services.db.selectFrom("uploads").selectAll().orderBy("id").execute(),
    sweep: await services.db.selectFrom("store_sweep").selectAll().execute(),
    objects: await Array.fromAsync(services.objects.list()),
  });
  const before = await state();
  const { value, text } = await reportUploads(later(services, 3 * DAY_SECONDS));
  const one = (key: string, size: number) => ({ count: 1, bytes: size, keys: [key] });
  const photo = await services.objects.head(photos[0].key);
  deepStrictEqual(value, {
    due: {
      forget: one(unused.key, 5),
      check: one(unconfirmed.key, 5),
      delete: one(photos[0].key, photo!.sizeBytes),
    },
    strays: { keep: one(post, 3), adopt: { count: 2, bytes: 6, keys: [alsoAdopted, adopted] }, delete: one(orphan, 3) },
    isForeign: false,
    missing: one(missing.key, 5),
  });
  match(text, new RegExp(`1 \\(3 bytes\\) will be kept.*\\n    ${post}`));
  deepStrictEqual(await state(), before);
  deepStrictEqual((await services.objects.head(kept.key))?.sizeBytes, 5);
});
