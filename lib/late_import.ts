/**
 * Loads a module that few services need. At the start, Deno reads the modules of each `import()` with a literal name,
 * although it does not run them: each byte of their source takes about four of memory. It does not see this one.
 *
 * @param url `import.meta.resolve("./name.ts")`; the type is `typeof import("./name.ts")`.
 */
export async function importLate<Module>(url: string): Promise<Module> {
  return await import(url);
}
