import { build } from "esbuild";
import openapiTS, { astToString } from "openapi-typescript";

/** Generates clients from the API document, as people do with tools of others, and compiles programs that use them. */

const ROOT = new URL("../../../", import.meta.url);

/** What each tool writes into a folder of its name. */
export const GENERATORS: Record<string, (document: string, folder: string) => Promise<unknown>> = {
  "openapi-typescript": async (document, folder) => {
    await Deno.mkdir(folder);
    await Deno.writeTextFile(`${folder}/foyer.d.ts`, astToString(await openapiTS(document)));
  },
  "hey-api": (document, folder) => runTool(["hey-api", folder], document),
  "orval": (document, folder) => runTool(["orval", folder], document),
};

/**
 * Runs a tool of others on the API document. Returns what it prints.
 *
 * @throws {Error} when the tool fails.
 */
export async function runTool(args: string[], document: string): Promise<string> {
  const folder = new URL("tests/tools/", ROOT).pathname;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--config", `${folder}deno.json`, `${folder}api_tools.ts`, ...args],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const [{ success, stdout, stderr }] = await Promise.all([
    child.output(),
    new Blob([document]).stream().pipeTo(child.stdin),
  ]);
  const decoder = new TextDecoder();
  if (!success) throw new Error(`${args[0]} failed:\n${decoder.decode(stderr)}${decoder.decode(stdout)}`);
  return decoder.decode(stdout);
}

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
