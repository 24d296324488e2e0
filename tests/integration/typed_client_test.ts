import { match, strictEqual } from "node:assert/strict";
import { checkTypes, linkPackages, runDeno } from "../support/api/generated_clients.ts";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { createToken } from "../support/app/api_tokens.ts";
import { serveTestApp } from "../support/app/served_app.ts";

const ROOT = new URL("../../", import.meta.url);
const { app, url, ...served } = await serveTestApp(() => ({}));
const { client } = await registerVerifiedUser(app, "typed@example.com");
const { token } = await createToken(client);

const folder = await Deno.makeTempDir({ prefix: "foyer-typed-" });
Deno.test.afterAll(async () => {
  await Deno.remove(folder, { recursive: true });
  await served[Symbol.asyncDispose]();
});

const [commands] = await codeIn("docs/api.md", "sh");
const programs: Record<string, string> = {
  "guide.ts": (await codeIn("docs/api.md", "ts")).join("\n"),
};

/** Calls that must not compile, each for one reason. */
const WRONG = `
import createClient from "openapi-fetch";
import type { paths } from "./foyer.d.ts";
const api = createClient<paths, "application/json">({ baseUrl: "${url}" });
// @ts-expect-error there is no such path
await api.GET("/api/nothing");
// @ts-expect-error the path has no such method
await api.POST("/api/profile", { body: {} });
// @ts-expect-error a field is missing
await api.POST("/auth/login", { body: { email: "ada@example.com" } });
// @ts-expect-error a field has another type
await api.POST("/auth/login", { body: { email: "ada@example.com", password: 7 } });
// @ts-expect-error the value is not one of the scopes
await api.POST("/api/tokens", { body: { name: "x", scopes: ["profile:delete"] } });
// @ts-expect-error the parameter is missing
await api.GET("/api/users/{id}");
const { data, error } = await api.GET("/api/profile");
// @ts-expect-error the response has no such field
data?.user.phone;
// @ts-expect-error the route has no such error
error?.code === "EMAIL_TAKEN";
// @ts-expect-error the message is no number
const message: number | undefined = error?.message;
// @ts-expect-error the details are lists of messages
const details: Record<string, string> | undefined = error?.details;
const { error: other } = await createClient<paths>({ baseUrl: "${url}" }).GET("/api/profile");
// @ts-expect-error without the form of errors, they may be problems
other?.message;
`;

Deno.test("the two commands of the guide give a typed client: right calls work, wrong ones do not compile", async () => {
  const [generate, install] = commands.trim().split("\n");
  const [, options] = generate.match(
    /^npx -y -p typescript@5\.9\.3 -p openapi-typescript@7\.13\.0 openapi-typescript (.*)$/,
  )!;
  match(install, /^npm install openapi-fetch@0\.17\.0$/);
  await run("npm:openapi-typescript@7.13.0", ...options.replace("http://localhost:8000", url).split(" "));
  await linkPackages(folder);
  for (const [name, program] of Object.entries(programs)) {
    await Deno.writeTextFile(`${folder}/${name}`, program.replaceAll("http://localhost:8000", url));
  }
  await Deno.writeTextFile(`${folder}/wrong.ts`, WRONG);
  await Deno.writeTextFile(`${folder}/process.d.ts`, "declare const process: { env: Record<string, string> };\n");
  strictEqual(await checkTypes(folder, [...Object.keys(programs), "wrong.ts", "process.d.ts"]), "");
});

Deno.test("the program of the guide reads a profile and an error, uploads a photo and gets a 304", async () => {
  const output = await run("--no-check", `${folder}/guide.ts`);
  match(output, /^Ada Lovelace\nUNAUTHENTICATED\n304 London\n$/);
});

/** Runs a program in the folder. Fails if it fails. */
async function run(...args: string[]): Promise<string> {
  const { code, output } = await runDeno(args, { cwd: folder, env: { FOYER_TOKEN: token, NO_COLOR: "1" } });
  strictEqual(code, 0, output);
  return output;
}

/** Returns the code in the part of a document about the typed client. */
async function codeIn(document: string, language: string): Promise<string[]> {
  const [guide] = (await Deno.readTextFile(new URL(document, ROOT))).match(/## A typed client[\s\S]*?(?=\n## )/)!;
  return [...guide.matchAll(new RegExp("```" + language + "\\n([\\s\\S]*?)```", "g"))].map(([, code]) => code);
}
