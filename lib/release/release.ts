import { cp, stat } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { packagesFolder } from "../server/app_arguments.ts";
import { COMMIT_FILE, findCommit } from "../version.ts";
import { folderOf, type LockFile, withPackages } from "./lock_file.ts";
import { BUILD, importedModules, PROGRAMS } from "./programs.ts";

/**
 * `deno task release FOLDER`: makes a folder with all that the service needs, for a container or a service manager.
 * There, `deno task start` needs no network, and writes only into DATA_DIR and the folder for temporary files.
 */

/** What a release has of the project. The build belongs to it too. */
const SOURCES = ["LICENSE", "db", "docs", "fresh.config.ts", "islands", "lib", "main.ts", "routes", "static"];
const TASKS = ["start", "migrate", "foyer"];
/** DENO_DIR of a release, inside its folder. */
const CACHE = ".deno";
/** What packages have for those who develop with them. */
const FOR_DEVELOPMENT = /\.(map|d\.[cm]?ts)$/;

interface Configuration {
  imports: Record<string, string>;
  tasks: Record<string, { description: string; dependencies?: string[]; command: string }>;
}

const [folder] = Deno.args;
if (folder === undefined) fail("Name the folder: deno task release FOLDER");
if (await exists(folder)) fail(`${folder} exists: move it away first`);
await release(resolve(folder));

async function release(target: string): Promise<void> {
  // The sources of an image have no Git.
  const commit = Deno.env.get("COMMIT") || findCommit(new URL("../..", import.meta.url));
  const { packages } = await importedModules();
  const lock = withPackages(await readJson<LockFile>("deno.lock"), packages);
  const configuration = await readJson<Configuration>("deno.json");
  await copySources(target);
  if (commit !== undefined) await Deno.writeTextFile(`${target}/${COMMIT_FILE}`, `${commit}\n`);
  await copyPackages(Object.keys(lock.npm), target);
  await writeJson(`${target}/deno.lock`, lock);
  await writeJson(`${target}/deno.json`, forRelease(configuration, Object.keys(lock.specifiers)));
  await compile(target);
}

/** Copies the sources without their tests. */
async function copySources(target: string): Promise<void> {
  const build = await Deno.readLink(BUILD);
  for (const path of [...SOURCES, build]) {
    await cp(path, `${target}/${path}`, { recursive: true, filter: (source) => !/_test\.tsx?$/.test(source) });
  }
  await Deno.symlink(build, `${target}/${BUILD}`);
}

/** Copies packages from Deno's cache. Those of other systems are not there. */
async function copyPackages(ids: string[], target: string): Promise<void> {
  const source = packagesFolder();
  const cache = resolve(source, "../..");
  for (const id of ids) {
    const path = `${source}/${folderOf(id)}`;
    if (!await exists(path)) continue;
    const filter = (source: string) => !FOR_DEVELOPMENT.test(source);
    await cp(path, `${target}/${CACHE}/${relative(cache, path)}`, { recursive: true, filter });
  }
}

/** Deno downloads every package that is imported in deno.json. The tasks build nothing: it is done. */
function forRelease({ imports, tasks, ...rest }: Configuration, specifiers: string[]): Configuration {
  const isUsed = (value: string) => !value.startsWith("npm:") || specifiers.includes(value);
  return {
    ...rest,
    imports: Object.fromEntries(Object.entries(imports).filter(([, value]) => isUsed(value))),
    tasks: Object.fromEntries(TASKS.map((name) => [name, { ...tasks[name], dependencies: undefined }])),
  };
}

/** Compiles the programs where they will run: the results belong to their paths. */
async function compile(target: string): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["cache", "--quiet", ...PROGRAMS],
    cwd: target,
    env: { DENO_DIR: `${target}/${CACHE}` },
  }).output();
  if (!success) fail(`Deno did not compile the release: ${new TextDecoder().decode(stderr)}`);
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(() => true, () => false);
}

async function readJson<Value>(path: string): Promise<Value> {
  return JSON.parse(await Deno.readTextFile(path));
}

async function writeJson(path: string, value: unknown): Promise<void> {
  await Deno.writeTextFile(path, JSON.stringify(value, null, 2) + "\n");
}

function fail(message: string): never {
  console.error(message);
  Deno.exit(1);
}
