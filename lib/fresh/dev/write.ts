import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { FileEntry } from "../build_cache.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Bundle } from "./bundle.ts";
import type { RouteSource } from "./crawl.ts";

/** Everything a build consists of, before it is written or loaded. */
export interface BuildParts {
  described: Pick<Snapshot, "buildId" | "clientEntry" | "devEntry">;
  root: string;
  routes: RouteSource[];
  islands: { path: string; file: string }[];
  files: Map<string, FileEntry>;
  bundle: Bundle;
}

const HEADER = "// Made by the build; changes are lost with the next one.\n";

/** Writes a build. All paths in it are relative, so it may be moved to any place of the same depth. */
export async function writeBuild(
  parts: BuildParts,
  { outDir, serverEntry }: { outDir: string; serverEntry: string },
): Promise<void> {
  await Deno.remove(outDir, { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  await Deno.mkdir(join(outDir, "js"), { recursive: true });
  for (const [name, content] of parts.bundle.scripts) await Deno.writeFile(join(outDir, "js", name), content);
  const from = (path: string) => quotePath(relative(outDir, path));
  const loader = join(dirname(fileURLToPath(import.meta.url)), "../snapshot.ts");
  await Deno.writeTextFile(join(outDir, "snapshot.js"), HEADER + snapshotSource(parts, from));
  await Deno.writeTextFile(
    join(outDir, "server.js"),
    `${HEADER}import { loadSnapshot } from ${from(loader)};
import { app } from ${from(serverEntry)};
import * as written from "./snapshot.js";
await loadSnapshot(app, written, import.meta.url);
export default { fetch: app.handler() };
`,
  );
}

/** A relative path as a relative URL, in quotes. */
function quotePath(path: string): string {
  const url = path.split(/[\\/]/).map(encodeURIComponent).join("/");
  return JSON.stringify(url.startsWith(".") ? url : `./${url}`);
}

function snapshotSource(parts: BuildParts, from: (path: string) => string): string {
  const imports: string[] = [];
  const imported = (path: string) => `mod${imports.push(path) - 1}`;
  const fields = (object: object) => JSON.stringify(object).slice(1, -1);
  const fsRoutes = parts.routes.map(({ path, isLazy, ...file }) =>
    `  { ${fields(file)}, mod: ${isLazy ? `() => import(${from(path)})` : imported(path)} },\n`
  );
  const islands = parts.islands.map(({ path, file }) => `  { ${fields({ file })}, mod: ${imported(path)} },\n`);
  const files = [...parts.files].map(([pathname, { source, ...file }]) => {
    const isScript = source instanceof Uint8Array;
    const path = isScript ? quotePath(`js/${basename(pathname)}`) : from(fileURLToPath(source));
    return `  [${JSON.stringify(pathname)}, { ${fields({ ...file, isScript })}, path: ${path} }],\n`;
  });
  return [
    ...imports.map((path, i) => `import * as mod${i} from ${from(path)};\n`),
    ...Object.entries(parts.described).map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`),
    `export const root = ${from(parts.root)};\n`,
    `export const fsRoutes = [\n${fsRoutes.join("")}];\n`,
    `export const islands = [\n${islands.join("")}];\n`,
    `export const files = [\n${files.join("")}];\n`,
  ].join("");
}
