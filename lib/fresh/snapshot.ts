import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { ComponentType } from "preact";
import { type App, APPLY_BUILD } from "./app.ts";
import { setBuildId } from "./asset.ts";
import type { BuildCache, FileEntry, Island } from "./build_cache.ts";

/** All that a build knows, with the modules of islands and the scripts made of them. */
export interface Snapshot extends Omit<BuildCache, "islands"> {
  islands: { file: string; mod: object }[];
}

/** Puts a build into an application, before its handler is made. */
export function applySnapshot<State>(app: App<State>, snapshot: Snapshot): void {
  const islands = snapshot.islands.flatMap(({ file, mod }) =>
    Object.entries(mod)
      .filter(([, value]) => typeof value === "function")
      .map(([exportName, component]): [ComponentType, Island] => [component, { file, exportName }])
  );
  setBuildId(snapshot.buildId);
  app[APPLY_BUILD]({ ...snapshot, islands: new Map(islands) });
}

/** A build as it was written to disk; paths are relative to its folder. */
export interface WrittenSnapshot extends Omit<Snapshot, "files"> {
  files: [pathname: string, file: Omit<FileEntry, "source"> & { path: string; isScript?: boolean }][];
}

/**
 * Puts a build that was written to disk into an application. Scripts are read now: the folder may be replaced by
 * another build while this one still serves.
 */
export async function loadSnapshot<State>(app: App<State>, written: WrittenSnapshot, base: string): Promise<void> {
  const entries = written.files.map(async ([pathname, { path, isScript, ...file }]) => {
    const url = new URL(path, base);
    return [pathname, { ...file, source: isScript ? await Deno.readFile(url) : url }] as const;
  });
  const root = resolve(fileURLToPath(new URL(written.root, base)));
  applySnapshot(app, { ...written, root, files: new Map(await Promise.all(entries)) });
}
