import { startCluster } from "./postgres_cluster.ts";

/** What an app process needs to run on an engine. */
export interface EngineForProcess {
  name: "embedded" | "postgres";
  env: Record<string, string>;
}

/** Runs a test once on each engine, each time with a folder of its own. */
export function testOnEachEngine(
  name: string,
  test: (engine: EngineForProcess, folder: string) => Promise<void>,
): void {
  Deno.test(`${name} (embedded)`, () => withFolder((folder) => test({ name: "embedded", env: {} }, folder)));
  Deno.test(`${name} (postgres)`, async () => {
    await using cluster = await startCluster({ fsync: true });
    await withFolder((folder) => test({ name: "postgres", env: { DATABASE_URL: cluster.url } }, folder));
  });
}

/** Gives the test a folder that is gone afterwards. */
export async function withFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "foyer-test-" });
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
