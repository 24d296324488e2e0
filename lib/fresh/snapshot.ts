import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { ComponentType } from "preact";
import { type App, APPLY_BUILD } from "./app.ts";
import { setBuildId } from "./static/asset.ts";
import type { BuildCache, FileEntry, Island } from "./build_cache.ts";
import type { Encoding } from "./static/content_encoding.ts";

/** A build, with the modules and scripts of its islands. */
export interface Snapshot extends Omit<BuildCache, "islands"> {
  islands: { file: string; mod: object }[];
}

/** Applies a build to an application. Call this before `app.handler()`. */
export function applySnapshot<State>(app: App<State>, snapshot: Snapshot): void {
  const islands = snapshot.islands.flatMap(({ file, mod }) =>
    Object.entries(mod)
      .filter(([, value]) => typeof value === "function")
      .map(([exportName, component]): [ComponentType, Island] => [component, { file, exportName }])
  );
  setBuildId(snapshot.buildId);
  app[APPLY_BUILD]({ ...snapshot, islands: new Map(islands) });
}

/** A file of a build on disk. Paths are relative to the folder of the build. */
export interface WrittenFile extends Omit<FileEntry, "source" | "encoded"> {
  path: string;
  isGenerated?: boolean;
  encoded: { encoding: Encoding; path: string }[];
}

/** A build on disk. */
export interface WrittenSnapshot extends Omit<Snapshot, "files"> {
  files: [pathname: string, file: WrittenFile][];
}

/**
 * Applies a build on disk to an application. Reads scripts, styles and compressed files now, because another build may
 * replace the folder while this one still serves.
 */
export async function loadSnapshot<State>(app: App<State>, written: WrittenSnapshot, base: string): Promise<void> {
  const entries = written.files.map(async ([pathname, { path, isGenerated, ...file }]) => {
    const url = new URL(path, base);
    const encoded = await Promise.all(file.encoded.map(async ({ encoding, path }) => (
      { encoding, content: await Deno.readFile(new URL(path, base)) }
    )));
    return [pathname, { ...file, encoded, source: isGenerated ? await Deno.readFile(url) : url }] as const;
  });
  const root = resolve(fileURLToPath(new URL(written.root, base)));
  applySnapshot(app, { ...written, root, files: new Map(await Promise.all(entries)) });
}
