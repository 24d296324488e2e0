import { startCluster } from "./postgres_cluster.ts";

/** What an app process needs to run on an engine. */
export interface EngineForProcess {
  name: "embedded" | "postgres";
  env: Record<string, string>;
}

type EngineTest = (engine: EngineForProcess, folder: string) => Promise<void>;

/** Runs a test once on each engine, each time with a folder of its own. */
export function testOnEachEngine(name: string, test: EngineTest): void {
  for (const [engine, run] of Object.entries(ENGINES)) Deno.test(`${name} (${engine})`, () => run(test));
}

/** Runs the cases of a test side by side, because they mostly wait: once on each engine, each with one of its own. */
export function testCasesOnEachEngine<Case extends { name: string }>(
  name: string,
  cases: Case[],
  test: (each: Case, ...args: Parameters<EngineTest>) => Promise<void>,
): void {
  const unsanitized = { sanitizeOps: false, sanitizeResources: false, sanitizeExit: false };
  for (const [engine, run] of Object.entries(ENGINES)) {
    Deno.test(`${name} (${engine})`, async (t) => {
      await Promise.all(
        cases.map((each) =>
          t.step({ name: each.name, fn: () => run((...args) => test(each, ...args)), ...unsanitized })
        ),
      );
    });
  }
}

const ENGINES: Record<EngineForProcess["name"], (test: EngineTest) => Promise<void>> = {
  embedded: (test) => withFolder((folder) => test({ name: "embedded", env: {} }, folder)),
  async postgres(test) {
    await using cluster = await startCluster({ fsync: true });
    await withFolder((folder) => test({ name: "postgres", env: { DATABASE_URL: cluster.url } }, folder));
  },
};

/** Gives the test a folder that is gone afterwards. */
export async function withFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "foyer-test-" });
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
