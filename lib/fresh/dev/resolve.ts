import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Plugin } from "esbuild";

/** An esbuild plugin that resolves modules as Deno does: through the import map, and in Deno's npm cache. */
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
  // Deno resolves a package to a file only after the package was loaded.
  if (import.meta.resolve(specifier).startsWith("npm:")) await import(specifier);
  return import.meta.resolve(specifier);
}

type Exports = string | null | undefined | { [condition: string]: Exports };

/**
 * Returns the file that a package exports for browsers. Deno resolves packages for servers, and for `require` inside
 * packages. If importers resolved a package differently, the bundle would contain it twice.
 */
function browserFile(specifier: string, path: string): string | null {
  // The nearest package.json may belong to a subfolder with a different name, such as preact/hooks.
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
