import { createClient } from "@hey-api/openapi-ts";
import { build } from "esbuild";
import openapiTS, { astToString } from "openapi-typescript";
import { generate } from "orval";

/** Generates clients from the API document, as people do with tools of others, and compiles programs that use them. */

const ROOT = new URL("../../../", import.meta.url);

/** What each tool writes into a folder of its name. */
export const GENERATORS: Record<string, (document: string, folder: string) => Promise<unknown>> = {
  "openapi-typescript": async (document, folder) => {
    await Deno.mkdir(folder);
    await Deno.writeTextFile(`${folder}/foyer.d.ts`, astToString(await openapiTS(document)));
  },
  "hey-api": (document, folder) =>
    createClient({
      input: JSON.parse(document),
      output: folder,
      plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
      logs: { level: "silent", file: false },
    }),
  "orval": async (document, folder) => {
    await Deno.mkdir(folder);
    await Deno.writeTextFile(`${folder}/document.json`, document);
    const output = {
      target: `${folder}/foyer.ts`,
      client: "fetch" as const,
      schemas: { path: `${folder}/schemas`, type: "zod" as const },
      baseUrl: JSON.parse(document).servers[0].url,
    };
    const options = { logLevel: "warn", failOnWarnings: true, throwOnError: true } as const;
    await generate({ input: `${folder}/document.json`, output }, folder, options);
  },
};

/** Links the packages that clients need into the folder, as `npm install` would. Deno has already downloaded them. */
export async function linkPackages(folder: string): Promise<void> {
  const found = { "openapi-fetch": folderOf("openapi-fetch"), zod: folderOf("zod") };
  const [helpers] = await Array.fromAsync(Deno.readDir(`${found["openapi-fetch"]}/../../openapi-typescript-helpers`));
  const packages = {
    ...found,
    "openapi-typescript-helpers": `${found["openapi-fetch"]}/../../openapi-typescript-helpers/${helpers.name}`,
  };
  await Deno.mkdir(`${folder}/node_modules`);
  for (const [name, path] of Object.entries(packages)) await Deno.symlink(path, `${folder}/node_modules/${name}`);
}

function folderOf(name: string): string {
  const [url] = import.meta.resolve(name).match(new RegExp(`^.*/${name}/[^/]+`)) ?? [];
  if (url === undefined) throw new Error(`Find the folder of a package: ${name}`);
  return new URL(url).pathname;
}

/** Checks the types of programs in a folder with TypeScript's own compiler. Returns its report. */
export async function checkTypes(folder: string, files: string[]): Promise<string> {
  const compilerOptions = {
    ...{ strict: true, noEmit: true, target: "es2022", module: "es2022", moduleResolution: "bundler" },
    ...{ allowImportingTsExtensions: true, preserveSymlinks: true, skipLibCheck: true, types: [] },
    lib: ["es2023", "dom", "dom.iterable"],
  };
  await Deno.writeTextFile(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions, files }));
  return (await runDeno(["npm:typescript@5.9.3/tsc", "-p", folder], { cwd: folder })).output;
}

/** Runs a program or a package with the dependencies of the project. */
export async function runDeno(
  args: string[],
  options: { cwd: string; env?: Record<string, string> },
): Promise<{ code: number; output: string }> {
  const config = ["--config", new URL("deno.json", ROOT).pathname];
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", ...config, ...args],
    ...options,
  }).output();
  return { code, output: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
}

/** Bundles a program, because generated files import each other without extensions, and loads it. */
export async function load<Exports>(program: string): Promise<Exports> {
  const outfile = program.replace(/\.ts$/, ".js");
  await build({ entryPoints: [program], outfile, bundle: true, format: "esm", logLevel: "silent" });
  return await import(`file://${outfile}`);
}
