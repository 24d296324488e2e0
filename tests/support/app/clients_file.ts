/** Writes a file of clients. Returns its path. It is deleted after the last test of the file. */
export async function writeClientsFile(
  clients: Record<string, unknown>[],
  resources: Record<string, unknown>[] = [],
): Promise<string> {
  const path = await Deno.makeTempFile({ prefix: "foyer-clients-", suffix: ".json" });
  await Deno.writeTextFile(path, JSON.stringify({ clients, resources }));
  Deno.test.afterAll(() => Deno.remove(path));
  return path;
}
