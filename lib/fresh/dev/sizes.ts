import { basename, extname } from "node:path";
import { BOOT_FILE, type Bundle } from "./bundle.ts";

/** Prints the compressed size of the runtime, and what each island adds to it, to standard error. */
export async function printSizes({ scripts, imports, islandFiles }: Bundle): Promise<void> {
  const withImports = (name: string): string[] => [name, ...(imports.get(name) ?? []).flatMap(withImports)];
  const print = async (label: string, names: Set<string>) => {
    const sizes = await Promise.all([...names].map((name) => gzipSize(scripts.get(name)!)));
    console.error(`${label} ${(sizes.reduce((sum, size) => sum + size, 0) / 1000).toFixed(1)} kB gzip`);
  };
  if (islandFiles.length === 0) return;
  const runtime = new Set(withImports(BOOT_FILE));
  await print("runtime:", runtime);
  for (const file of islandFiles) {
    await print(`island ${basename(file, extname(file))}: +`, new Set(withImports(file)).difference(runtime));
  }
}

async function gzipSize(content: Uint8Array<ArrayBuffer>): Promise<number> {
  const compressed = new Blob([content]).stream().pipeThrough(new CompressionStream("gzip"));
  return (await new Response(compressed).bytes()).length;
}
