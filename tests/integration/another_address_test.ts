import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { Kysely } from "kysely";
import { up as storePhotosAsKeys } from "../../db/migrations/0060_store_photos_as_keys.ts";
import type { Config } from "../../lib/config/config.ts";
import { openObjectStore } from "../../lib/storage/open_store.ts";
import { variantOf } from "../../lib/uploads/rules.ts";
import { logIn, registerVerifiedUser } from "../support/app/accounts.ts";
import { readPage } from "../support/app/page_reader.ts";
import { BASE_URL, openSharedTestApp, openTestInstance } from "../support/app/test_app.ts";
import { uploaderOf } from "../support/uploads/upload_world.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0" });

const BUCKET = {
  endpoint: "http://127.0.0.1:1",
  region: "r",
  bucket: "b",
  publicUrl: "https://photos.example",
  accessKeyId: "k",
  secretAccessKey: "s",
  privateBucket: undefined,
};

/** The service after it has moved, each time with the address of its public files then. */
const MOVES: [what: string, settings: Partial<Config>, files: string][] = [
  ["another BASE_URL", { baseUrl: "http://moved.test" }, "http://moved.test/files/"],
  ["a bucket instead of the disk", { s3: BUCKET }, "https://photos.example/"],
  ["another S3_PUBLIC_URL", { s3: { ...BUCKET, publicUrl: "https://cdn.example/b" } }, "https://cdn.example/b/"],
];

/** Opens the service as it is after a move. */
async function moveTo(settings: Partial<Config>) {
  const config = { ...app.services.config, ...settings };
  const { now, log } = app.services;
  const objects = await openObjectStore(config, { now: () => now(), log, sweeps: false });
  return await openTestInstance(app, (services) => ({ ...services, config, objects }));
}

async function openPerson(email: string) {
  const person = await registerVerifiedUser(app, email);
  return { ...person, image: uploaderOf(app, person).image };
}

async function setAvatar(id: string, avatar: string): Promise<void> {
  await app.services.db.updateTable("users").set({ avatar }).where("id", "=", id).execute();
}

async function storedAvatar(id: string): Promise<string | null> {
  const { avatar } = await app.services.db.selectFrom("users").select("avatar").where("id", "=", id)
    .executeTakeFirstOrThrow();
  return avatar;
}

for (const [index, [what, settings, files]] of MOVES.entries()) {
  Deno.test(`a photo follows the service to ${what}`, async () => {
    const { client, id, email, image } = await openPerson(`moves-${index}@example.com`);
    const { url, key } = await image();
    strictEqual((await client.send("PUT", "/api/profile", { avatar: url })).status, 200);
    await using moved = await moveTo(settings);
    const person = moved.client();
    strictEqual((await logIn(person, email)).status, 200);
    const read = async (path: string) => JSON.stringify(await (await person.get(path)).json());
    for (const path of ["/api/profile", `/api/users/${id}`, "/api/users"]) {
      ok((await read(path)).includes(`"avatar":"${files}${key}"`), path);
    }
    for (const page of ["/profile", "/dashboard", `/users/${id}`]) {
      ok((await readPage(person.get(page))).find(`img[src="${files}${key}"]`), page);
    }
  });

  Deno.test(`a profile can be saved as it is read after a move to ${what}`, async () => {
    const { client, id, email, image } = await openPerson(`saves-${index}@example.com`);
    const { url, key } = await image();
    await client.send("PUT", "/api/profile", { avatar: url });
    await using moved = await moveTo(settings);
    const person = moved.client();
    await logIn(person, email);
    const { user: { avatar, bio } } = await (await person.get("/api/profile")).json();
    strictEqual((await person.send("PUT", "/api/profile", { avatar, bio })).status, 200);
    strictEqual(await storedAvatar(id), key);
  });
}

Deno.test("an avatar elsewhere keeps its address when the service moves", async () => {
  const { client, email } = await openPerson("elsewhere@example.com");
  const avatar = "https://elsewhere.example/images/avatar/0197f3a0-0000-4000-8000-000000000000.webp?v=1";
  await client.send("PUT", "/api/profile", { avatar });
  await using moved = await moveTo({ baseUrl: "http://moved.test" });
  const person = moved.client();
  await logIn(person, email);
  strictEqual((await (await person.get("/api/profile")).json()).user.avatar, avatar);
});

Deno.test("an update turns the addresses of stored photos into keys", async () => {
  const { id, image } = await openPerson("updated@example.com");
  const { key } = await image();
  const copy = variantOf(key, 128);
  const unknown = "https://other.example/files/images/avatar/0197f3a0-0000-4000-8000-000000000000.webp";
  const cases = [
    [`${BASE_URL}/files/${key}`, key],
    [`https://bucket.example/b/${key}`, key],
    [`${BASE_URL}/files/${copy}`, copy],
    [`${BASE_URL}/files/${key}?v=1`, `${BASE_URL}/files/${key}?v=1`],
    [unknown, unknown],
    [key, key],
  ];
  for (const [before, after] of cases) {
    await setAvatar(id, before);
    await storePhotosAsKeys(app.services.db as unknown as Kysely<unknown>);
    deepStrictEqual(await storedAvatar(id), after, before);
  }
});
