import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { ACCOUNT_ACTS } from "../../lib/admin/acts.ts";
import type { UploadPart } from "../../lib/config/uploads_setting.ts";
import { exampleMail } from "../../lib/mail/examples.ts";
import { MAIL_KINDS } from "../../lib/mail/kinds.ts";
import { registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { registerAdmin } from "../support/app/admins.ts";
import { createToken } from "../support/app/api_tokens.ts";
import { authorizePath } from "../support/app/authorize_page.ts";
import { writeClientsFile } from "../support/app/clients_file.ts";
import { readPage } from "../support/app/page_reader.ts";
import { BASE_URL, openSharedTestApp } from "../support/app/test_app.ts";
import { problemOf, statusAndCode, type TestClient } from "../support/app/test_client.ts";
import { handlersUnder } from "../support/api/route_handlers.ts";
import { wholePng } from "../support/images/pictures.ts";
import { readProject } from "../support/source/import_graph.ts";
import { uploaderOf } from "../support/uploads/upload_world.ts";

/** An app whose setting the tests change, as an operator does between two starts. */
const app = await openSharedTestApp();

/** Sets UPLOADS until the result is disposed of. */
function set(uploads: "on" | "photos" | "off"): Disposable {
  app.services.config = { ...app.services.config, uploads };
  return { [Symbol.dispose]: () => app.services.config = { ...app.services.config, uploads: "on" } };
}

/** What each route that has to do with uploads belongs to. Null for those that stay without any. */
const ROUTES: Record<string, UploadPart | null> = {
  "routes/(member)/uploads.tsx": "files",
  "routes/(member)/uploads/[id].tsx": "files",
  "routes/api/admin/uploads/[id]/link.ts": "files",
  "routes/api/upload/image.ts": "photos",
  "routes/api/upload/presign.ts": "files",
  "routes/api/uploads/index.ts": "files",
  "routes/api/uploads/[id]/confirm.ts": "files",
  "routes/api/uploads/[id]/index.ts": "files",
  "routes/api/uploads/[id]/link.ts": "files",
  "routes/api/uploads/[id]/links.ts": "files",
  "routes/files/[...key].ts": "files",
  "routes/(member)/(settings)/profile.tsx": null,
  "routes/(member)/dashboard.tsx": null,
  "routes/admin/apps/[client]/logo.tsx": null,
  "routes/api/account/index.ts": null,
};

const id = crypto.randomUUID();
const FILE = `uploads/${id}/${id}-a.txt`;
const PHOTO = `images/avatar/${id}.webp`;

/** Returns the methods and paths of the routes in {@linkcode ROUTES}. */
async function requestsOfRoutes() {
  const handlers = (await handlersUnder("routes")).filter(({ file }) => file in ROUTES);
  const requests = handlers.map(({ key, file }) => {
    const [method, path] = key.split(" ");
    return { method, path: path.replace("{id}", id).replace("{key*}", FILE), part: ROUTES[file] };
  });
  const options = requests.map((request) => ({ ...request, method: "OPTIONS" }));
  return [...requests, ...options, { method: "GET", path: `/files/${PHOTO}`, part: "photos" as const }];
}

/** The administration does not exist for others either. */
function isHidden(path: string, caller: string): boolean {
  return /^(\/api)?\/admin\//.test(path) && caller !== "an admin";
}

Deno.test("every route that has to do with uploads is in the table of this test", async () => {
  const modules = await readProject(new URL("../../routes/", import.meta.url));
  const named = modules.filter(({ path, imports }) =>
    !path.includes("_") && (/upload|files\//.test(path) ||
      imports.some(({ specifier }) => /\/lib\/(uploads|admin\/uploads)/.test(specifier)))
  );
  deepStrictEqual(named.map(({ path }) => `routes/${path}`).sort(), Object.keys(ROUTES).sort());
});

Deno.test("what UPLOADS switches off does not exist, for anyone and any method", async () => {
  const { client: admin } = await registerAdmin(app);
  const { headers } = await createToken(admin);
  const { headers: narrow } = await createToken(admin, { scopes: ["profile:read"] });
  const callers: [name: string, client: TestClient, headers: Record<string, string>][] = [
    ["a guest", app.client(), {}],
    ["an admin", admin, { Origin: BASE_URL }],
    ["a token", app.client(), headers],
    ["a token without the scope", app.client(), narrow],
  ];
  const requests = await requestsOfRoutes();
  ok(requests.length > 30, `only ${requests.length} requests`);
  for (const uploads of ["on", "photos", "off"] as const) {
    using _uploads = set(uploads);
    for (const { method, path, part } of requests) {
      const isOn = uploads === "on" || part === null || part === uploads;
      for (const [caller, client, headers] of callers) {
        // Every page refuses every token.
        if (caller.startsWith("a token") && !/^\/(api|files)\//.test(path)) continue;
        const url = method === "PUT" ? `${path}?signature=x` : path;
        const response = await client.request(url, { method, headers: { Accept: "application/json", ...headers } });
        // Pages answer with a page.
        const { code } = await response.json().catch(() => ({ code: "NOT_FOUND" }));
        const said = `${caller}: ${method} ${path} with UPLOADS=${uploads}`;
        // A route that is on knows its methods. Whether it knows the id is not asked here.
        if (!isOn) deepStrictEqual([response.status, code], [404, "NOT_FOUND"], said);
        else if (method === "OPTIONS" && !isHidden(path, caller)) strictEqual(response.status, 204, said);
      }
    }
  }
});

Deno.test("the API page has no section for what is off", async () => {
  const section = async () => (await app.client().get("/docs?section=Uploads")).status;
  strictEqual(await section(), 200);
  using _uploads = set("off");
  strictEqual(await section(), 404);
});

Deno.test("photos and files are shown again after UPLOADS was off", async () => {
  const person = uploaderOf(app, await registerVerifiedUser(app, "kept@example.com"));
  const { client, id } = person;
  const { url, key } = await person.image();
  await person.store("hello", "private");
  await client.send("PUT", "/api/profile", { avatar: url });
  const seen = async () => {
    const { data: { avatar } } = await (await app.client().get(`/api/users/${id}`)).json();
    const picture = (await client.get("/auth/check")).headers.get("X-Foyer-User-Picture");
    return [avatar, picture, (await app.client().get(`/files/${key}`)).status];
  };
  const before = await person.list();
  deepStrictEqual(await seen(), [url, url, 200]);
  {
    using _uploads = set("off");
    deepStrictEqual(await seen(), [undefined, "", 404]);
    // The page, because the API document does not describe what is still stored.
    const { uploads } = await (await client.get("/settings/data/export")).json();
    deepStrictEqual(uploads.map(({ url }: { url: string }) => url), before.map(({ url }) => url).reverse());
  }
  {
    using _uploads = set("photos");
    deepStrictEqual(await seen(), [url, url, 200]);
  }
  deepStrictEqual(await seen(), [url, url, 200]);
  deepStrictEqual(await person.list(), before);
});

Deno.test("without photos, a picture that is elsewhere is not shown either", async () => {
  const { client } = await registerVerifiedUser(app, "elsewhere@example.com");
  const avatar = "https://photos.example.com/me.png";
  await client.send("PUT", "/api/profile", { avatar });
  const seen = async () => (await client.get("/auth/check")).headers.get("X-Foyer-User-Picture");
  {
    using _uploads = set("off");
    strictEqual(await seen(), "");
  }
  strictEqual(await seen(), avatar);
});

Deno.test("without photos, neither a program nor a form stores one", async () => {
  const { client } = await registerVerifiedUser(app, "no-photo@example.com");
  {
    using _uploads = set("off");
    const avatar = "https://photos.example.com/me.png";
    const changed = await client.send("PUT", "/api/profile", { avatar, bio: "Counts" });
    deepStrictEqual([changed.status, (await changed.json()).user.avatar], [200, undefined]);
    const form = new FormData();
    form.set("name", "Ada");
    form.set("file", new File([await wholePng(8, 8)], "me.png", { type: "image/png" }));
    const sent = await client.request("/profile", { method: "POST", body: form, headers: { Origin: BASE_URL } });
    strictEqual(sent.status, 303);
    const scoped = await client.send("POST", "/api/tokens", { name: "Script", scopes: ["uploads:write"] });
    deepStrictEqual(await problemOf(scoped), [400, "VALIDATION_FAILED", {
      scopes: ["Is not a known scope: uploads:write"],
    }]);
  }
  const { user } = await (await client.get("/api/profile")).json();
  deepStrictEqual([user.avatar, user.bio, user.name], [null, "Counts", "Ada"]);
  deepStrictEqual((await (await client.get("/api/uploads")).json()).data, []);
});

Deno.test("with photos only, an image is one of a person, and files from before take no space from it", async () => {
  const person = uploaderOf(app, await registerUser(app, "full@example.com"));
  const { client } = person;
  const { publicUrl } = await person.store();
  app.services.config.unverifiedQuotaBytes = 4_000;
  await person.store("x".repeat(3_990));
  const form = new FormData();
  form.set("type", "post");
  form.set("file", new File([await wholePng(8, 8)], "me.png", { type: "image/png" }));
  using _uploads = set("photos");
  const post = await client.request("/api/upload/image", { method: "POST", body: form });
  deepStrictEqual(await problemOf(post), [400, "VALIDATION_FAILED", { type: ["Must be avatar"] }]);
  const file = await client.send("PUT", "/api/profile", { avatar: publicUrl });
  deepStrictEqual(await statusAndCode(file), [400, "VALIDATION_FAILED"]);
  const { url } = await person.image("avatar", [8, 8]);
  strictEqual((await client.send("PUT", "/api/profile", { avatar: url })).status, 200);
});

/** Words for photos and files in each language. Arabic has the same word for a file and a profile. */
const WORDS = {
  en: /photo|picture|upload|\bfiles?\b/i,
  de: /foto|bild|hochgeladen|hochladen|\bdatei/i,
  ar: /صورة|صورتك|الصور|ملفاتك|ملف خاص|رفع (?!الإيقاف|القيود)/,
};

const off = await openSharedTestApp({
  UPLOADS: "off",
  WEBHOOK_ALLOW_PRIVATE: "true",
  SIGN_IN_CODES: "true",
  CLIENTS_FILE: await writeClientsFile([{
    client_id: "wiki",
    client_name: "Wiki",
    redirect_uris: ["https://wiki.example.com/callback"],
    scope: "openid profile uploads:read uploads:write",
    client_secret_hashes: [`sha256:${"a".repeat(64)}`],
  }]),
});

/** A page as it is read out, with the labels that no one sees. */
async function textsOf(client: TestClient, path: string, language: string): Promise<string> {
  const page = await readPage(client.get(path, { "Accept-Language": language }));
  const labels = page.findAll("[aria-label], [title], [alt], [placeholder]").flatMap((element) =>
    ["aria-label", "title", "alt", "placeholder"].flatMap((name) => element.getAttribute(name) ?? [])
  );
  const texts = page.findAll("title, h1, h2, h3, legend, label, a, p, li, dt, dd, td, th, button, option, code, pre")
    .map(({ textContent }) => textContent);
  return [...texts, ...labels].join("\n");
}

Deno.test("where UPLOADS is off, no page mentions photos or files, in any language", async () => {
  const { client: admin, id } = await registerAdmin(off);
  const { client: member, id: memberId } = await registerVerifiedUser(off, "member@example.com");
  const scope = "openid profile uploads:read uploads:write";
  const redirect_uri = "https://wiki.example.com/callback";
  const hook = await admin.send("POST", "/api/admin/webhooks", {
    url: "http://127.0.0.1:9/hook",
    kinds: ["session.started"],
  });
  const { data: { id: webhook } } = await hook.json();
  const pages = (await handlersUnder("routes")).filter(({ key, who, file }) =>
    key.startsWith("GET ") && who !== undefined && file.endsWith(".tsx") && ROUTES[file] !== "files"
  ).map(({ key }) => key.slice("GET ".length));
  const values: Record<string, string[]> = {
    "/users/{id}": [`/users/${memberId}`],
    "/admin/users/{id}": [`/admin/users/${memberId}`, `/admin/users/${id}`],
    "/admin/users/{id}/{act}": Object.keys(ACCOUNT_ACTS).map((act) => `/admin/users/${memberId}/${act}`),
    "/admin/webhooks/{id}": [`/admin/webhooks/${webhook}`],
    "/admin/apps/{client}": ["/admin/apps/wiki"],
    "/oauth/authorize": [authorizePath("wiki", { redirect_uri, scope })],
  };
  const paths = pages.flatMap((path) => values[path] ?? [path]).filter((path) => !/\{|logout/.test(path));
  ok(paths.length > 50, `only ${paths.length} pages`);
  const found: string[] = [];
  const read = new Set<string>();
  for (const [language, words] of Object.entries(WORDS)) {
    for (const client of [member, admin, off.client()]) {
      for (const path of paths) {
        const text = await textsOf(client, path, language);
        if (text.length > 200) read.add(path);
        for (const line of text.split("\n")) if (words.test(line)) found.push(`${language} ${path}: ${line.trim()}`);
      }
    }
  }
  ok(read.size > 40, `only ${read.size} pages were read: ${[...read]}`);
  deepStrictEqual([...new Set(found)], []);
});

Deno.test("where UPLOADS is off, no email, document or export mentions photos or files", async () => {
  const { client } = await registerVerifiedUser(off, "reader@example.com");
  const words = /photo|picture|avatar|upload|storage|\bfiles?\b/i;
  const documents = await Promise.all(
    ["/api/openapi.json", "/.well-known/openid-configuration", "/api/account/export"].map(async (path) =>
      [path, await client.get(path).then((response) => response.text())] as const
    ),
  );
  for (const [path, text] of documents) {
    ok(text.length > 500, path);
    deepStrictEqual([...text.matchAll(new RegExp(`.{0,40}(?:${words.source}).{0,40}`, "gi"))].map(String), [], path);
  }
  for (const [tag, language] of off.services.languages.byTag) {
    for (const kind of MAIL_KINDS) {
      const { subject, text } = exampleMail(kind, { baseUrl: BASE_URL, language });
      strictEqual(WORDS[tag as keyof typeof WORDS].exec(subject + text)?.[0], undefined, `${tag} ${kind}: ${text}`);
    }
  }
});

Deno.test("with UPLOADS=photos, the API document has the photo and nothing about files", async () => {
  using _uploads = set("photos");
  const { paths, webhooks, components } = await (await app.client().get("/api/openapi.json")).json();
  deepStrictEqual(Object.keys(paths).filter((path) => path.includes("upload")), ["/api/upload/image"]);
  const { properties } = paths["/api/upload/image"].post.requestBody.content["multipart/form-data"].schema;
  deepStrictEqual(properties.type.enum, ["avatar"]);
  match(JSON.stringify(components.schemas.User), /avatar/);
  deepStrictEqual(Object.keys(webhooks).filter((kind) => kind.startsWith("upload")), [
    "upload.stored",
    "upload.deleted",
  ]);
});
