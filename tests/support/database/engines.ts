import { startCluster } from "./postgres_cluster.ts";

/** A database engine, and the environment variables that make an app process use it. */
export interface EngineForProcess {
  name: "embedded" | "postgres";
  env: Record<string, string>;
}

type EngineTest = (engine: EngineForProcess, folder: string) => Promise<void>;

/**
 * Runs a test on each engine, concurrently because it mostly waits. Each time it gets a new folder.
 *
 * @param options.inTurn whether nothing may run beside it, because it measures times.
 */
export function testOnEachEngine(name: string, test: EngineTest, { inTurn = false } = {}): void {
  if (!inTurn) return testCasesOnEachEngine(name, [{ name }], (_case, ...args) => test(...args));
  for (const [engine, run] of Object.entries(ENGINES)) Deno.test(`${name} (${engine})`, () => run(test));
}

/** Runs the cases of a test on each engine, concurrently because they mostly wait. Each case gets its own database. */
export function testCasesOnEachEngine<Case extends { name: string }>(
  name: string,
  cases: Case[],
  test: (each: Case, ...args: Parameters<EngineTest>) => Promise<void>,
): void {
  const unsanitized = { sanitizeOps: false, sanitizeResources: false, sanitizeExit: false };
  Deno.test(name, async (t) => {
    const runs = Object.entries(ENGINES).flatMap(([engine, run]) =>
      cases.map((each) => ({ name: `${each.name} (${engine})`, fn: () => run((...args) => test(each, ...args)) }))
    );
    await Promise.all(runs.map((step) => t.step({ ...step, ...unsanitized })));
  });
}

const ENGINES: Record<EngineForProcess["name"], (test: EngineTest) => Promise<void>> = {
  embedded: (test) => withFolder((folder) => test({ name: "embedded", env: {} }, folder)),
  async postgres(test) {
    await using cluster = await startCluster({ fsync: true });
    await withFolder((folder) => test({ name: "postgres", env: { DATABASE_URL: cluster.url } }, folder));
  },
};

/** Runs a test with a new folder, and deletes the folder afterward. */
export async function withFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "foyer-test-" });
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
