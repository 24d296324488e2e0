import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { transform } from "esbuild";
import { CLIENT_PACKAGE, writeClientPackage } from "../../lib/release/client_package.ts";
import { publishedDocument } from "../../lib/api/document.ts";
import { checkTypes } from "../support/api/generated_clients.ts";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { createToken } from "../support/app/api_tokens.ts";
import { serveTestApp } from "../support/app/served_app.ts";

/** More than this would be felt by pages that load it. */
const MAX_BYTES_GZIP = 12_000;

const { app, url, ...served } = await serveTestApp(() => ({}));
const folder = await Deno.makeTempDir({ prefix: "foyer-client-" });
const library = `${folder}/node_modules/${CLIENT_PACKAGE}`;
Deno.test.beforeAll(async () => {
  await writeClientPackage(library, (await publishedDocument(app.services)).text);
  const [jose] = import.meta.resolve("jose").match(/^.*\/jose\/[^/]+/)!;
  await Deno.symlink(new URL(jose).pathname, `${folder}/node_modules/jose`);
  await Deno.writeTextFile(`${folder}/package.json`, `{"type": "module"}`);
});
Deno.test.afterAll(async () => {
  await Deno.remove(folder, { recursive: true });
  await served[Symbol.asyncDispose]();
});

const PROGRAM = `
import { createFoyer, FoyerError } from "foyer-client";
import { foyerSession } from "foyer-client/hono";
import { foyerSession as forExpress } from "foyer-client/express";
import { foyerSession as forFresh } from "foyer-client/fresh";
import { nextFoyer } from "foyer-client/next";
import type { FoyerInBrowser } from "foyer-client/browser";

const foyer = createFoyer({ url: "URL" });
const api = foyer.api({ token: "TOKEN" });
const { user } = await api.updateProfile({ location: "London" });
const location: string | null = user.location;
const { data } = await api.getUser({ id: user.id });
const name: string = data.name;
for await (const found of api.listUsers.pages({ limit: 1 })) console.log(found.name satisfies string);
const stored = await api.upload(new Blob(["hello"], { type: "text/plain" }), { filename: "notes.txt" });
const size: number | null = stored.data.size;
const nothing: undefined = await api.deleteUpload({ id: stored.data.id });
const photo: (file: Blob) => Promise<{ url: string }> = (file) => api.uploadImage({ type: "avatar", file });
try {
  await foyer.api().getProfile();
} catch (error) {
  if (error instanceof FoyerError) console.log(error.status, error.code);
}
console.log(location, name, size, nothing, typeof photo, [foyerSession, forExpress, forFresh, nextFoyer].length);
export async function receive(request: Request): Promise<string> {
  const event = await foyer.webhook(request, "whsec_");
  if (event.type === "user.deleted") return event.data.userId;
  return event.type === "email.changed" ? event.data.details.from : event.id;
}
export const nameOf = (request: Express.Request): string | undefined => request.foyer?.user.name;
export type Shown = Awaited<ReturnType<FoyerInBrowser["session"]>>;
`;

/** Calls that must not compile, each for one reason. */
const WRONG = `
import { createFoyer } from "foyer-client";
// @ts-expect-error the address is missing
const foyer = createFoyer({});
const api = foyer.api();
// @ts-expect-error there is no such operation
await api.makeCoffee();
// @ts-expect-error the parameter of the path is missing
await api.getUser();
// @ts-expect-error a field is missing
await api.logIn({ email: "ada@example.com" });
// @ts-expect-error a field has another type
await api.logIn({ email: "ada@example.com", password: 7 });
// @ts-expect-error the value is not one of the scopes
await api.createToken({ name: "x", scopes: ["profile:delete"] });
// @ts-expect-error it is no list
api.getProfile.pages();
// @ts-expect-error the response has no such field
(await api.getProfile()).user.phone;
// @ts-expect-error sign-ins through a provider are for browsers
await api.startProviderSignIn({ key: "google" });
const session = await foyer.session({ headers: {} });
// @ts-expect-error it may be a guest
session.user;
const event = await foyer.webhook({ headers: {}, body: "" }, "whsec_");
// @ts-expect-error not every event is about an account
event.data.userId satisfies string;
`;

/** What the programs of the document use of those around them. */
const AROUND = `
declare const process: { env: Record<string, string | undefined> };
declare const { createFoyer }: typeof import("foyer-client");
declare const foyer: import("foyer-client").Foyer;
declare function readFile(path: string): Promise<Uint8Array<ArrayBuffer>>;
declare const request: Request;
declare const file: File;
declare const token: string;
declare const ada: import("foyer-client/test").TestUser;
declare function deleteDataOf(id: string): Promise<void>;
`;

Deno.test("right calls of the package compile, wrong ones do not", async () => {
  await Deno.writeTextFile(`${folder}/program.ts`, PROGRAM);
  await Deno.writeTextFile(`${folder}/wrong.ts`, WRONG);
  strictEqual(await checkTypes(folder, ["program.ts", "wrong.ts"]), "");
});

Deno.test("the programs of its document compile", async () => {
  const document = await Deno.readTextFile(`${library}/README.md`);
  // The types of Hono and Express are elsewhere: products of tests/apps run these.
  const programs = [...document.matchAll(/```ts\n([^]*?)```/g)].map(([, program]) => program)
    .filter((program) => !/"(hono|express)"|express\./.test(program));
  ok(programs.length >= 7, String(programs.length));
  const files = programs.map((_, index) => `document${index}.ts`);
  await Promise.all(
    files.map((file, index) => Deno.writeTextFile(`${folder}/${file}`, `${programs[index]}\nexport {};\n`)),
  );
  await Deno.writeTextFile(`${folder}/around.d.ts`, AROUND);
  strictEqual(await checkTypes(folder, ["around.d.ts", ...files]), "");
});

Deno.test("a program on Node calls the API with the package", async () => {
  const { client } = await registerVerifiedUser(app, "program@example.com", "Ada");
  const { token } = await createToken(client);
  const output = await runProgram(PROGRAM.replace("URL", url).replace("TOKEN", token));
  strictEqual(output, "Ada\n401 UNAUTHENTICATED\nLondon Ada 5 undefined function 4\n");
});

Deno.test("the program of the README says where a guest logs in, and that the service works", async () => {
  const [, program] = (await Deno.readTextFile(new URL("../../README.md", import.meta.url))).match(
    /```ts\n([^]*?)```/,
  )!;
  const next = encodeURIComponent("http://localhost:3000/");
  strictEqual(
    await runProgram(program.replaceAll("http://localhost:8000", url)),
    `A guest, who logs in at ${url}/login?next=${next}\nok\n`,
  );
});

/** Runs a program on Node. Fails if it prints an error. */
async function runProgram(program: string): Promise<string> {
  const { code } = await transform(program, { loader: "ts" });
  await Deno.writeTextFile(`${folder}/program.mjs`, code);
  const { stdout, stderr } = await new Deno.Command("node", { args: ["program.mjs"], cwd: folder }).output();
  strictEqual(new TextDecoder().decode(stderr), "");
  return new TextDecoder().decode(stdout);
}

Deno.test("the package is small, and has nothing of Node or Deno but in its tests", async () => {
  let bytes = 0;
  for await (const { name } of Deno.readDir(library)) {
    if (!name.endsWith(".js")) continue;
    const source = await Deno.readTextFile(`${library}/${name}`);
    if (name !== "test.js") {
      bytes += gzipSync(source).length;
      ok(!/\bDeno\.|node:|process\./.test(source), name);
    }
  }
  ok(bytes < MAX_BYTES_GZIP, `${bytes} bytes`);
  const manifest = JSON.parse(await Deno.readTextFile(`${library}/package.json`));
  deepStrictEqual(Object.keys(manifest.dependencies), ["jose"]);
  const readme = await Deno.readTextFile(`${library}/README.md`);
  match(readme, /^# /);
  match(readme, /\(http:\/\/localhost:8000\/docs\/integrating\.md#/);
  strictEqual(readme.match(/\]\((?!https?:|#)[^)]*\)/), null, "a link that leads nowhere");
});
