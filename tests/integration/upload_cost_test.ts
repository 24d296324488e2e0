import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { KyselyPlugin, RootOperationNode } from "kysely";
import { SECOND_MS } from "../../lib/duration.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import { startMemoryS3 } from "../support/uploads/memory_s3.ts";
import { openUploader, WIDE } from "../support/uploads/upload_world.ts";

const store = startMemoryS3();
const app = await openSharedTestApp(store.env);
Deno.test.afterAll(async () => await store[Symbol.asyncDispose]());
app.advance((Date.now() - app.services.now().getTime()) / SECOND_MS);

let locks = 0;
const countLocks: KyselyPlugin = {
  transformQuery({ node }) {
    if (locksUser(node)) locks++;
    return node;
  },
  transformResult: ({ result }) => Promise.resolve(result),
};
app.services.db = app.services.db.withPlugin(countLocks);

/** Whether a statement is one of those that lock the row of a user: `select ... from users ... for [no key] update`. */
function locksUser(node: RootOperationNode): boolean {
  if (node.kind !== "SelectQueryNode" || !JSON.stringify(node.from).includes('"users"')) return false;
  return (node.endModifiers ?? []).some(({ modifier }) => /^For(NoKey)?Update$/.test(modifier ?? ""));
}

const user = await openUploader(app);

/** Returns the requests to the store and the locks of the user's row that an action takes. */
async function costOf<T>(act: () => Promise<T>): Promise<{ result: T; requests: string[]; locks: number }> {
  store.requests.length = 0;
  locks = 0;
  const result = await act();
  return { result, requests: [...store.requests], locks };
}

Deno.test("the counter sees a lock of the user's row", async () => {
  const { locks } = await costOf(() => user.client.send("PUT", "/api/profile", { location: "London" }));
  strictEqual(locks, 1);
});

Deno.test("an image takes one request to the store for each of its files", async () => {
  const small = await costOf(() => user.image("avatar", [8, 8]));
  deepStrictEqual(small.requests, ["PUT images/avatar"]);
  const wide = await costOf(() => user.image("post", WIDE));
  deepStrictEqual(wide.requests, Array(3).fill("PUT images/post"));
});

Deno.test("an image, a presigned URL, a confirmation and a deletion each lock the user's row once", async () => {
  strictEqual((await costOf(() => user.image("avatar", [8, 8]))).locks, 1, "image");
  const { result: presigned, locks } = await costOf(() => user.presign());
  strictEqual(locks, 1, "presign");
  strictEqual(await user.put(presigned), 200);
  strictEqual((await costOf(() => user.confirm(presigned.id))).locks, 1, "confirm");
  const deletion = await costOf(() => user.delete(presigned.id));
  strictEqual(deletion.result.status, 204);
  strictEqual(deletion.locks, 1, "delete");
});
