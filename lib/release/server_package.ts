import { stop, transform } from "esbuild";
import { cp, mkdir } from "node:fs/promises";
import { dirname, relative } from "node:path";
import { PACKAGE } from "../config/command_name.ts";
import { COMMIT_FILE, findCommit, VERSION } from "../version.ts";
import { BUILD, importedModules } from "./programs.ts";

/** What a package has besides modules: files that the service reads. */
const FILES = ["LICENSE", "static", "lib/texts"];
/** What stays behind: code that is compiled, and what explains it. */
const SOURCE = /\.(tsx?|md)$/;
const PICTURE = /\.webp$/;
const COMMAND = "lib/release/server_command.ts";
/** A path relative to a module, as a string in its code. */
const RELATIVE = /(["'])(\.{1,2}\/[^"'\n]*)\.tsx?\1/g;
const IMPORTED = /\b(?:from|import|import\()\s*(["'])(\.{1,2}\/[^"'\n]*)\1/g;

interface Configuration {
  imports: Record<string, string>;
  unstable: string[];
  permissions: unknown;
  tasks: Record<string, { command: string }>;
}

/**
 * Writes the folder of the package that runs the service: JavaScript, the build, texts, documents and the license.
 * Below node_modules, Deno refuses TypeScript, applies no import map, and reads deno.json only with `--config`.
 */
export async function writeServerPackage(folder: string): Promise<void> {
  const configuration: Configuration = JSON.parse(await Deno.readTextFile("deno.json"));
  const { files, packages } = await importedModules();
  const build = await Deno.readLink(BUILD);
  const sources = files.filter((file) => !file.startsWith(`${build}/`) && !file.startsWith(`${BUILD}/`));
  const code = [COMMAND, ...sources.filter((file) => /\.tsx?$/.test(file))];
  await transpile(code, folder);
  await copy(build, `${folder}/${BUILD}`);
  for (const file of [...FILES, ...sources.filter((file) => file.endsWith(".json"))]) {
    await copy(file, `${folder}/${file}`);
  }
  await copy("docs", `${folder}/docs`, PICTURE);
  const modules = [...code.map(compiled), `${BUILD}/server.js`, `${BUILD}/snapshot.js`];
  await rewriteImports(modules.map((file) => `${folder}/${file}`), `${folder}/`, configuration.imports);
  const commit = findCommit(new URL("../..", import.meta.url));
  if (commit !== undefined) await Deno.writeTextFile(`${folder}/${COMMIT_FILE}`, `${commit}\n`);
  await writeJson(`${folder}/package.json`, manifest(packages));
  await writeJson(`${folder}/deno.json`, configurationOf(configuration));
}

async function transpile(sources: string[], folder: string): Promise<void> {
  const args = ["transpile", "--quiet", "--outdir", folder, ...sources];
  const { success, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
  if (!success) throw new Error(`deno transpile failed: ${new TextDecoder().decode(stderr)}`);
}

/** Copies a file or a folder, except the files whose names match. */
async function copy(from: string, to: string, leftOut: RegExp = SOURCE): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await cp(from, to, { recursive: true, filter: (path) => !leftOut.test(path) });
}

/**
 * Makes imports lead to the files of the package.
 *
 * @throws {Error} if one of them would lead nowhere.
 */
async function rewriteImports(paths: string[], folder: string, imports: Record<string, string>): Promise<void> {
  for (const path of paths) {
    const source = await Deno.readTextFile(path);
    const code = Object.entries(imports).filter(([, to]) => to.startsWith("./")).reduce(
      (text, [name, to]) => text.replaceAll(`from "${name}"`, `from "${pathTo(folder + to, path)}"`),
      source,
    ).replaceAll(RELATIVE, "$1$2.js$1");
    for (const [, , imported] of code.matchAll(IMPORTED)) await Deno.stat(`${dirname(path)}/${decodeURI(imported)}`);
    await Deno.writeTextFile(path, await withoutComments(code));
  }
  await stop();
}

/** A tenth of the package would be comments, which nobody reads there. */
async function withoutComments(code: string): Promise<string> {
  return (await transform(code, { loader: "js", target: "esnext", legalComments: "none" })).code;
}

function compiled(file: string): string {
  return file.replace(/\.tsx?$/, ".js");
}

function pathTo(file: string, from: string): string {
  const path = relative(dirname(from), file);
  return path.startsWith(".") ? path : `./${path}`;
}

function manifest(packages: string[]) {
  const dependencies = packages.map((id) => /^(@?[^@]+)@([^_]+)/.exec(id)!.slice(1));
  return {
    name: PACKAGE,
    version: VERSION,
    description: "Accounts, sign-in, profiles and uploads for web products",
    license: "MIT",
    type: "module",
    engines: { node: ">=20" },
    os: ["linux", "darwin"],
    bin: Object.fromEntries([PACKAGE, "foyer"].map((name) => [name, compiled(COMMAND)])),
    dependencies: Object.fromEntries([...dependencies, ["deno", Deno.version.deno]]),
  };
}

/** Deno looks for packages where npm has put them, and writes nothing there. */
function configurationOf({ unstable, permissions, tasks }: Configuration) {
  const command = (name: string) => ({ command: tasks[name].command.replaceAll(/\.ts\b/g, ".js") });
  return {
    nodeModulesDir: "manual",
    lock: false,
    unstable,
    permissions,
    tasks: { start: command("start"), foyer: command("foyer") },
  };
}

async function writeJson(path: string, value: unknown): Promise<void> {
  await Deno.writeTextFile(path, JSON.stringify(value, null, 2) + "\n");
}
