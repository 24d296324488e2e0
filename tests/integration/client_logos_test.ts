import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { registerAdmin } from "../support/app/admins.ts";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { client, openAuthorizationApp } from "../support/app/authorization.ts";
import { html } from "../support/app/page_forms.ts";
import { readPage } from "../support/app/page_reader.ts";
import type { TestClient } from "../support/app/test_client.ts";
import { quarters } from "../support/images/pictures.ts";

/** The logos of apps: given by admins, and seen by people who may open them. */

const clients = [client("books", { client_name: "books", client_uri: "https://books.example" })];
const app = await openAuthorizationApp({ UPLOADS: "off" }, clients);
const { services } = app;
const { client: admin } = await registerAdmin(app);
const PNG = await quarters().png().toBuffer() as Uint8Array<ArrayBuffer>;

const file = (content: Uint8Array<ArrayBuffer>, type: string) => new File([content], "logo", { type });
const SAVE = { action: "save", file: file(PNG, "image/png") };
const REMOVE = { action: "remove" };

/** Sends the form of the logo of an app. */
async function send(clientId: string, fields: Record<string, string | File>): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of Object.entries({ reason: "a test", ...fields })) form.set(name, value);
  return await admin.request(`/admin/apps/${clientId}/logo`, { method: "POST", body: form });
}

async function logoOf(person: TestClient, name: string): Promise<string | null> {
  const { data } = await (await person.get("/api/account/apps?available=true")).json();
  return data.find((each: { name: string }) => each.name === name).logo;
}

/** Returns the path of an address of this service. */
const pathOf = (address: string) => address.slice(services.config.baseUrl.length);

Deno.test("an app of the file gets a logo, even where people upload nothing, and people see it", async () => {
  const { client: person } = await registerVerifiedUser(app, "person@example.com");
  strictEqual(await logoOf(person, "books"), null);
  const saved = await send("books", { ...SAVE, reason: "our new logo" });
  deepStrictEqual([saved.status, saved.headers.get("Location")], [303, "/admin/apps/books"], await saved.text());
  match(await html(admin, "/admin/apps/books"), /Logo saved\./);
  const address = (await logoOf(person, "books"))!;
  match(address, /^http:.*\/app-logos\/books\?v=[0-9a-f]{12}$/);
  const dashboard = await readPage(person.get("/dashboard"));
  deepStrictEqual(dashboard.findAll("img.avatar.app").map((image) => image.getAttribute("src")), [address]);
  const image = await person.get(pathOf(address));
  deepStrictEqual([image.status, image.headers.get("Content-Type")], [200, "image/webp"]);
  strictEqual(image.headers.get("Cache-Control"), "public, max-age=31536000, immutable");
  strictEqual(new TextDecoder().decode((await image.bytes()).slice(8, 12)), "WEBP");
  for (const path of ["/app-logos/books", "/app-logos/books?v=0", "/app-logos/nothing?v=0"]) {
    strictEqual((await app.client().get(path)).status, 404, "nobody finds out which apps there are");
  }
  const { details } = await services.db.selectFrom("events").select("details").where("kind", "=", "client.changed")
    .orderBy("id", "desc").executeTakeFirstOrThrow();
  deepStrictEqual(details, { app: "books", name: "books", fields: ["logo"], reason: "our new logo" });
  const form = await readPage(admin.get("/admin/apps/books/logo"));
  match(form.text, /Remove logo/);
  strictEqual(form.textAt('.picker > label[for="file"]'), "Choose an image", "not in the language of the browser");
  strictEqual((await send("books", REMOVE)).status, 303);
  match(await html(admin, "/admin/apps/books"), /Logo removed\./);
  strictEqual((await send("books", REMOVE)).status, 404);
  strictEqual(await logoOf(person, "books"), null);
  strictEqual((await person.get(pathOf(address))).status, 404);
});

for (
  const [what, fields] of [
    ["no image", { file: file(PNG.slice(0, 100), "image/png") }],
    ["another type", { file: file(new TextEncoder().encode("<svg/>"), "image/svg+xml") }],
    ["no reason", { ...SAVE, reason: "" }],
    ["no file", { file: "" }],
    ["no action", { ...SAVE, action: "" }],
  ] as [string, Record<string, string | File>][]
) {
  Deno.test(`a logo is refused with ${what}`, async () => {
    const response = await send("books", { ...SAVE, ...fields });
    strictEqual(response.status, 400, await response.text());
  });
}

Deno.test("the logo of an app that was made here ends with it", async () => {
  const fields = { client_name: "Made", client_uri: "https://made.example", reason: "a test" };
  const { data: { clientId } } = await (await admin.send("POST", "/api/admin/clients", fields)).json();
  await (await send(clientId, SAVE)).body?.cancel();
  const address = (await logoOf(admin, "Made"))!;
  strictEqual((await app.client().get(pathOf(address))).status, 200);
  const done = await admin.submit(`/admin/apps/${clientId}`, { reason: "a test", action: "delete" });
  deepStrictEqual([done.status, done.headers.get("Location")], [303, "/admin/apps"]);
  strictEqual((await app.client().get(pathOf(address))).status, 404);
  strictEqual((await admin.get(`/admin/apps/${clientId}/logo`)).status, 404);
});
