/** The paths of the route files in a folder, with `:name` for a parameter. */
export async function routesUnder(folder: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(new URL(`../../../${folder}`, import.meta.url)));
  const paths = await Promise.all(
    entries.filter(({ name }) => !name.startsWith("_")).map((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory) return routesUnder(path);
      return [path.replace(/^routes|\.tsx?$|\/index(?=\.)/g, "").replaceAll(/\[(\w+)\]/g, ":$1")];
    }),
  );
  return paths.flat();
}
