/** Yields the path and the text of every source file in a folder, without tests. */
export async function* sources(folder: URL): AsyncGenerator<[path: string, text: string]> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* sources(new URL(`${name}/`, folder));
    else if (/(?<!_test)\.tsx?$/.test(name)) {
      const url = new URL(name, folder);
      yield [decodeURIComponent(url.pathname), await Deno.readTextFile(url)];
    }
  }
}
