import { deepStrictEqual, ok, rejects } from "node:assert/strict";
import { seal, unseal } from "../../crypto/sealed.ts";
import { recordPlace } from "./record_place.ts";

const config = { appSecret: "a secret that only tests know, 32 bytes" };

Deno.test("a record opens with the key of its action, but not with what the database and APP_SECRET yield", async () => {
  const place = recordPlace({ key: "key", content: "content" }, config);
  const sealed = await seal({ token: "secret" }, place);
  deepStrictEqual(await unseal(sealed, recordPlace({ key: "key", content: "content" }, config)), { token: "secret" });
  for (const stored of ["", place.id, place.contentHash, place.id + place.contentHash]) {
    await rejects(unseal(sealed, { ...place, secret: config.appSecret + stored }));
  }
  await rejects(unseal(sealed, recordPlace({ key: "key", content: "other content" }, config)));
  await rejects(unseal(sealed, recordPlace({ key: "another key", content: "content" }, config)));
});

Deno.test("the id of a record does not contain its key", () => {
  ok(!recordPlace({ key: "key", content: "content" }, config).id.includes("key"));
});
