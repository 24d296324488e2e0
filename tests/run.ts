/**
 * Runs everything that says whether the project is well: format, lint, types, then every test.
 *
 *     deno task test                          everything
 *     deno task test unit browser             these groups only
 *     deno task test integration --filter=x   the rest goes to `deno test`
 */
import { type Cluster, startCluster } from "./support/postgres_cluster.ts";
import { ensure } from "./support/prerequisites.ts";
import { type Counts, runTests, TEST_GROUPS, testFiles, type TestGroup } from "./support/test_groups.ts";

const CHECKS = { format: ["fmt", "--check"], lint: ["lint", "--quiet"], types: ["check", "--quiet"] };
/** What tests may see of the environment; above all nothing that configures the application. */
const ENVIRONMENT =
  /^(PATH|HOME|USER|TMPDIR|LANG|LC_.*|TZ|CI|CHROMIUM_PATH|FUZZ_RUNS|DENO_.*|npm_config_.*|.*_PROXY|SSL_.*|NODE_EXTRA_CA_CERTS)$/i;

const failures: string[] = [];
const totals: Counts = { passed: 0, failed: 0, skipped: 0 };
let cluster: Cluster | undefined;
const interruption = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, () => interruption.abort());

const { groups, args } = readArguments(Deno.args);
Deno.chdir(new URL("..", import.meta.url));
try {
  if (groups.length === 0) await runChecks();
  else console.log("Format, lint and types are checked only when all groups run; deno task check does it alone.");
  const chosen = TEST_GROUPS.filter(({ name }) => groups.length === 0 || groups.includes(name));
  const files = await testFiles();
  refuseStrays(files);
  for (const group of chosen) {
    if (interruption.signal.aborted) break;
    await runGroup(group, files.filter((file) => group.files.test(file)));
  }
} finally {
  await cluster?.[Symbol.asyncDispose]();
}
if (interruption.signal.aborted) Deno.exit(130);
if (totals.passed + totals.failed + failures.length === 0) fail("no test ran");
report();

/** Leading words name groups; the first that begins with a dash and all behind it are for `deno test`. */
function readArguments(all: string[]): { groups: string[]; args: string[] } {
  const firstOption = all.findIndex((arg) => arg.startsWith("-"));
  const groups = firstOption < 0 ? all : all.slice(0, firstOption);
  const known = TEST_GROUPS.map(({ name }) => name);
  const unknown = groups.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    console.error(`There is no group ${unknown.join(", ")}; the groups are ${known.join(", ")}.`);
    Deno.exit(2);
  }
  return { groups, args: firstOption < 0 ? [] : all.slice(firstOption) };
}

async function runChecks(): Promise<void> {
  for (const [name, args] of Object.entries(CHECKS)) {
    await step(name, async () => {
      const { success } = await new Deno.Command(Deno.execPath(), { args }).spawn().status;
      if (!success) fail(`${name}: deno ${args.join(" ")} found problems`);
    });
  }
}

/** A test file that no group takes would be skipped in silence. */
function refuseStrays(files: string[]): void {
  const strays = files.filter((file) => !TEST_GROUPS.some((group) => group.files.test(file)));
  if (strays.length > 0) fail(`no group runs ${strays.join(", ")}`);
}

async function runGroup(group: TestGroup, files: string[]): Promise<void> {
  if (files.length === 0) return console.log(`\n== ${group.name}: there are no such tests yet`);
  await step(`${group.name} (${files.length} ${files.length === 1 ? "file" : "files"})`, async () => {
    try {
      const env = await environmentOf(group);
      count(group.name, await runTests({ files, args, parallel: group.parallel, env, signal: interruption.signal }));
    } catch (error) {
      fail(`${group.name}: ${error instanceof Error ? error.message : error}`);
    }
  });
}

async function environmentOf(group: TestGroup): Promise<Record<string, string>> {
  for (const prerequisite of group.needs) await ensure(prerequisite);
  const env = Object.fromEntries(Object.entries(Deno.env.toObject()).filter(([name]) => ENVIRONMENT.test(name)));
  if (!group.onPostgres) return env;
  cluster ??= await startCluster();
  console.log(`PostgreSQL runs at ${cluster.url}`);
  return { ...env, TEST_DATABASE_URL: cluster.url };
}

function count(group: string, counts: Counts | null): void {
  if (counts === null) return fail(`${group}: the tests ended before they were done`);
  totals.passed += counts.passed;
  totals.failed += counts.failed;
  totals.skipped += counts.skipped;
  if (counts.failed > 0) failures.push(`${group}: ${counts.failed} failed`);
  const isFiltered = args.some((arg) => arg.startsWith("--filter"));
  if (counts.passed + counts.failed + counts.skipped === 0 && !isFiltered) fail(`${group}: not one test ran`);
}

/** Notes a failure that is not a test's; it counts as one. */
function fail(failure: string): void {
  failures.push(failure);
  totals.failed += 1;
  console.error(failure);
}

async function step(name: string, run: () => Promise<void>): Promise<void> {
  console.log(`\n== ${name}`);
  const start = performance.now();
  await run();
  console.log(`== ${name}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
}

/** The last line is for machines too. */
function report(): never {
  const { passed, failed, skipped } = totals;
  if (failures.length > 0) console.log(`\nWhat failed:\n${failures.map((line) => `- ${line}`).join("\n")}`);
  console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  Deno.exit(failures.length > 0 ? 1 : 0);
}
