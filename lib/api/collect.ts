import { writeDescription } from "./description.ts";
import { type Entry, methodAndPath } from "./entry.ts";

/** The folders of routes that have endpoints. */
const FOLDERS = [".well-known", "api", "auth", "files", "oauth"];

/**
 * Imports the routes and returns the entries of their handlers by method and path, such as `GET /api/users/{id}`, in
 * the order of the paths. For the build and for tests: the service does not load all routes.
 *
 * @param routes the folder of all routes.
 */
export async function collectEntries(routes: URL): Promise<Record<string, Entry>> {
  const collected = await Promise.all(FOLDERS.map((folder) => entriesBelow(routes, folder)));
  const pathIn = ([key]: [string, Entry]) => methodAndPath(key).path;
  return Object.fromEntries(
    collected.flat().sort((a, b) => pathIn(a) < pathIn(b) ? -1 : pathIn(a) > pathIn(b) ? 1 : 0),
  );
}

/** Returns the description of the API, as JSON. @param routes the folder of all routes. */
export async function collectDescription(routes: URL): Promise<string> {
  return writeDescription(await collectEntries(routes));
}

/** A handler that obeys an entry, among others of its file. */
type Handlers = Record<string, { entry?: Entry }>;

async function entriesBelow(routes: URL, folder: string): Promise<[key: string, entry: Entry][]> {
  const files = await Array.fromAsync(Deno.readDir(new URL(folder, routes)));
  const found = await Promise.all(files.map(async ({ name, isDirectory }): Promise<[string, Entry][]> => {
    const path = `${folder}/${name}`;
    if (isDirectory) return await entriesBelow(routes, path);
    const { handler = {} }: { handler?: Handlers } = await import(new URL(path, routes).href);
    return Object.entries(handler).flatMap(([method, { entry }]) =>
      entry ? [[`${method} ${pathOf(path)}`, entry]] : []
    );
  }));
  return found.flat();
}

/** Returns the path of a route in the words of OpenAPI. @param file below the folder of all routes. */
export function pathOf(file: string): string {
  const path = `/${file}`.replaceAll(/\/\(\w+\)|\.tsx?$|\/index(?=\.)/g, "");
  return path.replaceAll(/\[(\w+)\]/g, "{$1}").replace(/\[\.\.\.(\w+)\]/, "{$1*}");
}
