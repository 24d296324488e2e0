import { relative } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the build: a link to one with another name. */
export const BUILD = "_fresh";
/** What Deno loads when the service runs. */
export const PROGRAMS = [
  "lib/server/launch.ts",
  "lib/server/start.ts",
  "lib/server/migrate.ts",
  "lib/server/foyer.ts",
  "lib/crypto/bcrypt_worker.ts",
  "lib/images/converter_process.ts",
  `${BUILD}/server.js`,
];

/** What the programs import when they run, and all that these import. */
export interface ImportedModules {
  /** The paths of files in the folder of the project. */
  files: string[];
  /** The ids in the lock file of packages, such as `pg@8.23.1`. */
  packages: string[];
}

interface Graph {
  roots: string[];
  modules: GraphModule[];
  redirects: Record<string, string>;
}

interface GraphModule {
  specifier: string;
  npmPackage?: string;
  /** Without `code`, only a type is imported. */
  dependencies?: { code?: { specifier?: string } }[];
}

/** Finds what the programs import, in the current folder. */
export async function importedModules(): Promise<ImportedModules> {
  const graphs = await Promise.all(PROGRAMS.map(graphOf));
  const modules = graphs.flatMap(reachedModules);
  const packages = modules.flatMap(({ npmPackage }) => npmPackage ?? []);
  const files = modules.filter(({ specifier }) => specifier.startsWith("file:"))
    .map(({ specifier }) => relative(Deno.cwd(), fileURLToPath(specifier)));
  return { files: [...new Set(files)].sort(), packages: [...new Set(packages)].sort() };
}

async function graphOf(program: string): Promise<Graph> {
  const args = ["info", "--quiet", "--json", program];
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
  if (!success) throw new Error(`deno ${args.join(" ")} failed: ${new TextDecoder().decode(stderr)}`);
  return JSON.parse(new TextDecoder().decode(stdout));
}

function reachedModules({ roots, modules, redirects }: Graph): GraphModule[] {
  const bySpecifier = new Map(modules.map((each) => [each.specifier, each]));
  const reached = new Set(roots);
  // A set also visits what is added meanwhile.
  for (const specifier of reached) {
    for (const { code } of bySpecifier.get(specifier)?.dependencies ?? []) {
      if (code?.specifier !== undefined) reached.add(redirects[code.specifier] ?? code.specifier);
    }
  }
  return [...reached].flatMap((specifier) => bySpecifier.get(specifier) ?? []);
}
