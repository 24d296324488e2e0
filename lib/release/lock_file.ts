/** The part of `deno.lock` that names packages. */
export interface LockFile {
  /** For each package that the app imports, such as `npm:pg@8.23.1`, the version and its peers. */
  specifiers: Record<string, string>;
  /** By id: the name, the version and its peers. */
  npm: Record<string, LockedPackage>;
  workspace: { dependencies: string[] };
}

/** What a lock file says about a package. */
export interface LockedPackage {
  integrity: string;
  dependencies?: string[];
  optionalDependencies?: string[];
  optionalPeers?: string[];
}

/** Returns a lock file with these packages, and those that they need. Versions and hashes stay the same. */
export function withPackages<Lock extends LockFile>(lock: Lock, imported: string[]): Lock {
  const ids = new Set<string>();
  for (const id of imported) collect(id, lock, ids);
  const isImported = ([specifier, version]: [string, string]) => imported.includes(`${nameOf(specifier)}@${version}`);
  const specifiers = Object.fromEntries(Object.entries(lock.specifiers).filter(isImported));
  const dependencies = lock.workspace.dependencies.filter((each) => each in specifiers);
  return {
    ...lock,
    specifiers,
    npm: Object.fromEntries(Object.entries(lock.npm).filter(([id]) => ids.has(id))),
    workspace: { ...lock.workspace, dependencies },
  };
}

/** Adds a package and all that it needs to `ids`. */
function collect(id: string, lock: LockFile, ids: Set<string>): void {
  if (ids.has(id)) return;
  const found = lock.npm[id];
  if (found === undefined) throw new Error(`deno.lock has no package ${id}`);
  ids.add(id);
  const needed = [...found.dependencies ?? [], ...found.optionalDependencies ?? [], ...found.optionalPeers ?? []];
  for (const each of needed) collect(idOf(each, lock), lock, ids);
}

/** Returns the id for a dependency: `ajv@8.1.0`, `ajv` if there is one version, or `ajv@npm:other@8.1.0`. */
function idOf(dependency: string, { npm }: LockFile): string {
  const wanted = dependency.replace(/^.+@npm:/, "");
  if (wanted in npm) return wanted;
  return Object.keys(npm).find((id) => id.startsWith(`${wanted}@`)) ?? wanted;
}

/** Returns the name in `npm:pg@8.23.1`. */
function nameOf(specifier: string): string {
  return specifier.slice("npm:".length, specifier.lastIndexOf("@"));
}

/** Returns the folder of a package inside Deno's folder of packages. */
export function folderOf(id: string): string {
  const [, name, version] = /^(@?[^@]+)@([^_]+)/.exec(id)!;
  return `${name}/${version}`;
}
