import { match, ok, strictEqual } from "node:assert/strict";
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

/** The part of the documentation about the typed client. */
const guide = (await Deno.readTextFile(new URL("docs/api.md", ROOT))).match(/## A typed client[\s\S]*?(?=\n## )/)![0];
const [commands] = codeIn("sh");
const [program] = codeIn("ts");

/** Calls that must not compile, each for one reason. */
const WRONG = `
import createClient from "openapi-fetch";
import type { paths } from "./foyer.d.ts";
const api = createClient<paths>({ baseUrl: "${url}" });
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
`;

Deno.test("the two commands of the guide give a typed client: right calls work, wrong ones do not compile", async () => {
  const [generate, install] = commands.trim().split("\n");
  const [, options] = generate.match(
    /^npx -y -p typescript@5\.9\.3 -p openapi-typescript@7\.13\.0 openapi-typescript (.*)$/,
  )!;
  match(install, /^npm install openapi-fetch@0\.17\.0$/);
  await run("npm:openapi-typescript@7.13.0", ...options.replace("http://localhost:8000", url).split(" "));
  await linkPackages();
  await Deno.writeTextFile(`${folder}/right.ts`, program.replaceAll("http://localhost:8000", url));
  await Deno.writeTextFile(`${folder}/wrong.ts`, WRONG);
  await Deno.writeTextFile(
    `${folder}/tsconfig.json`,
    JSON.stringify({
      compilerOptions: {
        strict: true,
        noEmit: true,
        target: "es2022",
        module: "es2022",
        moduleResolution: "bundler",
        allowImportingTsExtensions: true,
        preserveSymlinks: true,
        skipLibCheck: true,
        lib: ["es2023", "dom"],
        types: [],
      },
      files: ["right.ts", "wrong.ts", "process.d.ts"],
    }),
  );
  await Deno.writeTextFile(`${folder}/process.d.ts`, "declare const process: { env: Record<string, string> };\n");
  await run("npm:typescript@5.9.3/tsc", "-p", folder);
  const output = await run("--no-check", `${folder}/right.ts`);
  match(output, /Ada Lovelace/);
  match(output, /UNAUTHENTICATED/);
});

/** Runs a program in the folder. Fails if it fails. */
async function run(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--config", new URL("deno.json", ROOT).pathname, ...args],
    cwd: folder,
    env: { FOYER_TOKEN: token, NO_COLOR: "1" },
  }).output();
  const output = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  strictEqual(code, 0, output);
  return output;
}

/** Does what `npm install` does, with the packages that Deno has already downloaded. */
async function linkPackages(): Promise<void> {
  const installed = new URL("..", import.meta.resolve("openapi-fetch")).pathname;
  const packages = new URL("../..", `file://${installed}`).pathname;
  const [helpers] = await Array.fromAsync(Deno.readDir(`${packages}/openapi-typescript-helpers`));
  ok(helpers !== undefined);
  await Deno.mkdir(`${folder}/node_modules`);
  await Deno.symlink(installed, `${folder}/node_modules/openapi-fetch`);
  const path = `${packages}/openapi-typescript-helpers/${helpers.name}`;
  await Deno.symlink(path, `${folder}/node_modules/openapi-typescript-helpers`);
}

function codeIn(language: string): string[] {
  return [...guide.matchAll(new RegExp("```" + language + "\\n([\\s\\S]*?)```", "g"))].map(([, code]) => code);
}
