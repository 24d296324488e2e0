import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { stop } from "esbuild";
import { publishedDocument } from "../../lib/api/document.ts";
import { checkTypes, GENERATORS, linkPackages, load } from "../support/api/generated_clients.ts";
import { PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { serveTestApp } from "../support/app/served_app.ts";
import { quarters } from "../support/images/pictures.ts";

const EMAIL = "generated@example.com";
const { app, url, ...served } = await serveTestApp(() => ({}));
await registerVerifiedUser(app, EMAIL, "Grace Hopper");
const folder = await Deno.makeTempDir({ prefix: "foyer-generated-" });
Deno.test.afterAll(async () => {
  await stop();
  await Deno.remove(folder, { recursive: true });
  await served[Symbol.asyncDispose]();
});

/** What each program returns. */
interface Result {
  name: string;
  image: string;
  message: string;
  details: Record<string, string[]>;
}

/** A program for each generated client: it logs in, uploads an image, and reads an error. */
const PROGRAMS: Record<string, string> = {
  "openapi-typescript": `
import createClient from "openapi-fetch";
import type { paths } from "./openapi-typescript/foyer.d.ts";

export async function run(email: string, password: string, photo: Blob) {
  const api = createClient<paths, "application/json">({ baseUrl: "${url}" });
  const login = await api.POST("/auth/login", { body: { email, password } });
  const headers = { Cookie: login.response.headers.getSetCookie().map((each) => each.split(";")[0]).join("; ") };
  const uploaded = await api.POST("/api/upload/image", {
    headers,
    body: { type: "post", file: photo as unknown as string },
    bodySerializer(body) {
      const form = new FormData();
      for (const [name, value] of Object.entries(body)) form.set(name, value);
      return form;
    },
  });
  const refused = await api.POST("/api/tokens", {
    headers,
    body: { name: " ", scopes: ["users:read"], expiresInDays: 7 },
  });
  if (login.error || uploaded.error || !refused.error) throw new Error(JSON.stringify([login, uploaded, refused]));
  const { message, details } = refused.error;
  return { name: login.data.user.name, image: uploaded.data.url, message, details };
}`,
  "hey-api": `
import { client } from "./hey-api/client.gen";
import { createToken, logIn, uploadImage } from "./hey-api/sdk.gen";

export async function run(email: string, password: string, photo: Blob) {
  client.setConfig({ baseUrl: "${url}" });
  const login = await logIn({ body: { email, password } });
  const headers = { Cookie: login.response!.headers.getSetCookie().map((each) => each.split(";")[0]).join("; ") };
  const uploaded = await uploadImage({ headers, body: { type: "post", file: photo } });
  const refused = await createToken({ headers, body: { name: " ", scopes: ["users:read"], expiresInDays: 7 } });
  if (login.error || uploaded.error || !refused.error) throw new Error(JSON.stringify([login, uploaded, refused]));
  if ("detail" in refused.error) throw new Error("It is a problem of RFC 9457");
  const { message, details } = refused.error;
  return { name: login.data.user.name, image: uploaded.data.url, message, details };
}`,
  "orval": `
import { createToken, logIn, uploadImage } from "./orval/foyer";
import { ApiError, Image, LogInBody, LoggedIn } from "./orval/schemas";

export async function run(email: string, password: string, photo: Blob) {
  const login = await logIn(LogInBody.parse({ email, password }));
  if (login.status !== 200) throw new Error(JSON.stringify(login));
  const headers = { Cookie: login.headers.getSetCookie().map((each) => each.split(";")[0]).join("; ") };
  const uploaded = await uploadImage({ type: "post", file: photo }, { headers });
  if (uploaded.status !== 200) throw new Error(JSON.stringify(uploaded));
  const refused = await createToken({ name: " ", scopes: ["users:read"], expiresInDays: 7 }, { headers });
  if (refused.status !== 400) throw new Error(JSON.stringify(refused));
  const { message, details } = ApiError.parse(refused.data);
  return { name: LoggedIn.parse(login.data).user.name, image: Image.parse(uploaded.data).url, message, details };
}`,
};

const { text } = await publishedDocument(app.services);
const photo = new Blob([await quarters(undefined, 40, 40).png().toBuffer() as BlobPart], { type: "image/png" });

Deno.test("each tool generates a client whose types are right", async () => {
  for (const [tool, generate] of Object.entries(GENERATORS)) {
    await generate(text, `${folder}/${tool}`);
    await Deno.writeTextFile(`${folder}/${tool}.ts`, PROGRAMS[tool]);
  }
  await linkPackages(folder);
  strictEqual(await checkTypes(folder, Object.keys(PROGRAMS).map((tool) => `${tool}.ts`)), "");
});

for (const tool of Object.keys(PROGRAMS)) {
  Deno.test(`the client of ${tool} logs in, uploads an image and reads an error`, async () => {
    const { run } = await load<{ run(...args: unknown[]): Promise<Result> }>(`${folder}/${tool}.ts`);
    const { name, image, message, details } = await run(EMAIL, PASSWORD, photo);
    strictEqual(name, "Grace Hopper");
    match(image, /\.webp$/);
    strictEqual((await (await fetch(image)).bytes()).length > 0, true);
    strictEqual(message, "Validation failed");
    deepStrictEqual(details, { name: ["Must not be empty"] });
  });
}
