/**
 * Checks the format, lint and types, then runs the tests.
 *
 *     deno task test                          every behavior once
 *     deno task test all                      the rest too: both databases, faults, attacks and so on
 *     deno task test rest                     only the rest
 *     deno task test long                     by hand, before a release: hours of the model, which neither of them runs
 *     deno task test unit browser             only these groups
 *     deno task test tests/styles_test.ts     only this file, as its group runs it
 *     deno task test integration --filter=x   options are passed to `deno test`
 *
 * Some groups require system packages, such as PostgreSQL and Chromium. When run as root on a system with apt-get, this
 * installs the missing ones. Otherwise it prints which package to install.
 */
import {
  createDatabaseFolder,
  createServerTemplate,
  writeDatabaseTemplate,
} from "./support/database/database_template.ts";
import { type Cluster, createClusterTemplate, startCluster } from "./support/database/postgres_cluster.ts";
import { ensure, findMissing, mayInstall, type Prerequisite } from "./support/prerequisites.ts";
import {
  type Counts,
  joinFiles,
  runTests,
  selectTests,
  strayNames,
  testFiles,
  type TestGroup,
} from "./support/test_groups.ts";

const CHECKS = {
  packages: ["install", "--quiet"], // all at once, before several processes use them
  format: ["fmt", "--check"],
  lint: ["lint", "--quiet"],
  types: ["check", "--quiet"],
};
type Check = keyof typeof CHECKS;
/** The environment variables that tests can read. None of them configures the app. */
const ENVIRONMENT =
  /^(PATH|HOME|USER|TMPDIR|LANG|LC_.*|TZ|CI|CHROMIUM_PATH|FUZZ_RUNS|MODEL_SEED|MODEL_SECONDS|RECORD_EXAMPLES|DENO_.*|npm_config_.*|.*_PROXY|SSL_.*|NODE_EXTRA_CA_CERTS)$/i;
/** Reaches the servers of the tests even where a proxy leads to the packages. */
const LOOPBACK = { NO_PROXY: "localhost,127.0.0.1,::1" };

const failures: string[] = [];
const totals: Counts = { passed: 0, failed: 0, skipped: 0 };
let cluster: Cluster | undefined;
/** Environment variables that name the templates from which test databases are created. */
let embeddedTemplate: Record<string, string> | undefined;
let serverTemplate: Record<string, string> | undefined;
/**
 * An app process starts with half of the CPU time if V8 does not optimize the embedded engine. Tests end these
 * processes before optimized code would pay off.
 */
const SHORT_LIVED = { DENO_V8_FLAGS: "--liftoff-only" };
const interruption = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, () => interruption.abort());

Deno.chdir(new URL("..", import.meta.url));
const files = await testFiles();
const { isWhole, chosen, args } = readArguments(Deno.args);
const folder = await Deno.makeTempDir({ prefix: "foyer-run-" });
try {
  await requireNoEnvFile();
  await announceMissing([...chosen.keys()]);
  requireGroups(files);
  let types: Promise<void> | undefined;
  if (isWhole) {
    for (const check of ["packages", "format", "lint"] as const) await runCheck(check);
    types = runCheck("types"); // uses one core for about as long as the first group takes
  } else {
    console.log(
      "Format, lint and types are checked only without names of groups or files. To check them now: deno task check",
    );
  }
  for (const [group, own] of chosen) {
    if (interruption.signal.aborted) break;
    await runGroup(group, own);
    await types;
  }
} finally {
  await cluster?.[Symbol.asyncDispose]();
  await Deno.remove(folder, { recursive: true });
}
if (interruption.signal.aborted) Deno.exit(130);
if (totals.passed + totals.failed + failures.length === 0) fail("No test ran");
report();

/** Splits the arguments: names of groups and files, then from the first dash on, options for `deno test`. */
function readArguments(all: string[]): { isWhole: boolean; chosen: Map<TestGroup, string[]>; args: string[] } {
  const firstOption = all.findIndex((arg) => arg.startsWith("-"));
  const names = firstOption < 0 ? all : all.slice(0, firstOption);
  try {
    const chosen = selectTests(names, files);
    return { isWhole: /^(all)?$/.test(names.join()), chosen, args: firstOption < 0 ? [] : all.slice(firstOption) };
  } catch (error) {
    console.error((error as Error).message);
    Deno.exit(2);
  }
}

/** Tests start tasks in this folder, which would use its settings, such as a database with people in it. */
async function requireNoEnvFile(): Promise<void> {
  const isThere = await Deno.stat(".env").then(() => true, () => false);
  if (isThere) fail("The tests would use the settings in .env: move it away");
}

/** Prints which required system packages are missing, before anything is installed or fails. */
async function announceMissing(chosen: TestGroup[]): Promise<void> {
  const missing = await findMissing(new Set(chosen.flatMap(({ requires }): Prerequisite[] => requires)));
  if (missing.length === 0) return;
  const list = missing.map(({ name, debianPackage }) => `${name} (${debianPackage})`).join(", ");
  const packages = missing.map(({ debianPackage }) => debianPackage).join(" ");
  console.log(`Missing system packages: ${list}`);
  if (await mayInstall()) console.log("Running as root, so they are installed with apt-get when first needed.");
  else console.log(`Tests that require them will fail. On Debian or Ubuntu: sudo apt-get install ${packages}`);
}

/** Runs a check and then prints what it found, because tests may print meanwhile. */
async function runCheck(name: Check): Promise<void> {
  const args = CHECKS[name];
  const startedAt = performance.now();
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
  if (!success) {
    for (const output of [stdout, stderr]) await Deno.stdout.write(output);
    fail(`${name}: "deno ${args.join(" ")}" failed`);
  }
  console.log(`== ${name}: ${secondsSince(startedAt)}`);
}

/** Fails if a test file belongs to no group, or a name to no file: tests would not run, and no one would notice. */
function requireGroups(files: string[]): void {
  const { ungrouped, unknown } = strayNames(files);
  if (ungrouped.length > 0) {
    fail(`These test files belong to no group in tests/support/test_groups.ts: ${ungrouped.join(", ")}`);
  }
  if (unknown.length > 0) fail(`tests/support/test_groups.ts names files that do not exist: ${unknown.join(", ")}`);
}

async function runGroup(group: TestGroup, files: string[]): Promise<void> {
  if (files.length === 0) return console.log(`\n== ${group.name}: no tests`);
  await step(`${group.name} (${files.length} ${files.length === 1 ? "file" : "files"})`, async () => {
    try {
      const env = await environmentOf(group);
      const joined = await joinFiles(group, files, await Deno.makeTempDir({ dir: folder }));
      const { jobs, hours } = group;
      count(group.name, await runTests({ files: joined, args, jobs, hours, env, signal: interruption.signal }));
    } catch (error) {
      fail(`${group.name}: ${error instanceof Error ? error.message : error}`);
    }
  });
}

async function environmentOf(group: TestGroup): Promise<Record<string, string>> {
  for (const prerequisite of group.requires) await ensure(prerequisite);
  const inherited = Object.entries(Deno.env.toObject()).filter(([name]) => ENVIRONMENT.test(name));
  const env = { ...Object.fromEntries(inherited), ...LOOPBACK };
  if (group.startsApps) Object.assign(env, SHORT_LIVED, await processTemplates());
  if (group.database === undefined) return env;
  if (group.database === "embedded") {
    embeddedTemplate ??= await writeDatabaseTemplate(`${folder}/database`);
    return { ...env, ...embeddedTemplate };
  }
  cluster ??= await startCluster();
  console.log(`A temporary PostgreSQL server is running at ${cluster.url}`);
  serverTemplate ??= await createServerTemplate(cluster.url);
  return { ...env, ...serverTemplate, TEST_DATABASE_URL: cluster.url };
}

async function processTemplates(): Promise<Record<string, string>> {
  const database = await createDatabaseFolder(`${folder}/app_database`);
  return { ...database, ...await createClusterTemplate(`${folder}/cluster`) };
}

function count(group: string, counts: Counts | null): void {
  if (counts === null) return fail(`${group}: the test run ended early, without a summary`);
  totals.passed += counts.passed;
  totals.failed += counts.failed;
  totals.skipped += counts.skipped;
  if (counts.failed > 0) failures.push(`${group}: ${counts.failed} failed`);
  const isFiltered = args.some((arg) => arg.startsWith("--filter"));
  if (counts.passed + counts.failed + counts.skipped === 0 && !isFiltered) fail(`${group}: no test ran`);
}

/** Records a failure outside of any test. It counts as a failed test. */
function fail(failure: string): void {
  failures.push(failure);
  totals.failed += 1;
  console.error(failure);
}

async function step(name: string, run: () => Promise<void>): Promise<void> {
  console.log(`\n== ${name}`);
  const startedAt = performance.now();
  await run();
  console.log(`== ${name}: ${secondsSince(startedAt)}`);
}

function secondsSince(startedAt: number): string {
  return `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
}

/** Prints the results. Scripts may parse the last line. */
function report(): never {
  const { passed, failed, skipped } = totals;
  if (failures.length > 0) console.log(`\nFailures:\n${failures.map((line) => `- ${line}`).join("\n")}`);
  console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  Deno.exit(failures.length > 0 ? 1 : 0);
}
