import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Plugin } from "esbuild";

/** Lets esbuild find what Deno finds: names of the import map, and packages where Deno keeps them. */
export function denoResolver(): Plugin {
  return {
    name: "deno-resolver",
    setup(build) {
      build.onResolve({ filter: /^[^./]/ }, async ({ path: specifier, importer }) => {
        const isInPackage = /[\\/](npm|node_modules)[\\/]/.test(importer);
        const path = isInPackage
          ? createRequire(pathToFileURL(importer)).resolve(specifier)
          : fileURLToPath(await locate(specifier));
        return { path: browserFile(specifier, path) ?? path };
      });
    },
  };
}

async function locate(specifier: string): Promise<string> {
  // Deno knows the file of a package only once the package was loaded.
  if (import.meta.resolve(specifier).startsWith("npm:")) await import(specifier);
  return import.meta.resolve(specifier);
}

type Exports = string | null | undefined | { [condition: string]: Exports };

/**
 * The file that a package exports to browsers. Deno resolves for servers, and for `require` where a package imports
 * another; one choice for all importers also keeps a bundle from holding a package twice.
 */
function browserFile(specifier: string, path: string): string | null {
  // A package may hold folders with a package.json and another name, such as preact's hooks.
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (!existsSync(join(folder, "package.json"))) continue;
    const { name, exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    if (!exports || (specifier !== name && !specifier.startsWith(`${name}/`))) continue;
    const subpath = `.${specifier.slice(name.length)}`;
    const file = pickFile(exports[subpath] ?? (subpath === "." && exports));
    return file ? join(folder, file) : null;
  }
  return null;
}

function pickFile(target: Exports): string | null {
  if (!target || typeof target === "string") return target || null;
  const conditions = Object.keys(target).filter((name) => /^(browser|import|module|default)$/.test(name));
  return conditions.map((name) => pickFile(target[name])).find(Boolean) ?? null;
}
