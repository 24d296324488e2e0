import { basename, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { stripVTControlCharacters } from "node:util";
import {
  BUILDAH,
  CADDY,
  CHROMIUM,
  FONTS,
  JQ,
  MAIL_SERVER,
  NGINX,
  OPENSSL,
  PGBOUNCER,
  POSTGRES,
  type Prerequisite,
  SQLITE,
  SWIFT,
  SYSTEMD,
  YAML,
  ZSH,
} from "./prerequisites.ts";

/** A set of test files that run in one process. */
export interface TestGroup {
  name: string;
  /** Matches the paths of its test files, relative to the project folder. */
  files: RegExp;
  /** The names of the files that only `deno task test all` runs, or that it is all of them. */
  rest?: string[] | "all";
  /** The names of the files in `tests/` that `deno task test` runs too, if `all` runs many more. */
  first?: string[];
  /** The names of the files that take longest. They start first: the last one to end would otherwise run alone. */
  longest?: string[];
  /** System packages that its tests use. */
  requires: Prerequisite[];
  /** The database of the test app, if the tests use it. */
  database?: "embedded" | "postgres";
  /** Whether the tests start many app processes and PostgreSQL servers. Their databases are copied from templates. */
  startsApps?: boolean;
  /** The number of files that run at once. */
  jobs: number;
  /**
   * How many files run one after another with the same modules, by default one. Loading the app for each of them, and
   * running it before it is optimized, takes more CPU time than most of the tests.
   */
  together?: number;
  /** How long it may take. Such a group runs only by its name: neither by default nor with `all`. */
  hours?: number;
}

/** Without the files that start PostgreSQL themselves. */
const INTEGRATION = /^(tests\/integration\/(?!deadlock_test)|db\/(?!postgres\/))/;
/** Without the files about formats and markup: their results do not depend on the database. */
const INTEGRATION_WITH_SQL =
  /^(tests\/integration\/(?!(api_bounds|api_examples|client_library|client_package|cors|image_corpus|markup|problems|site_files|typed_client)_test)|db\/)/;
/**
 * Files that race, lock, or depend on what only a server does. On PostgreSQL the others repeat themselves, because the
 * embedded engine is PostgreSQL too.
 */
const RACES = `
  account_deletion account_limit address_proof admin_api audit_log authorization_consent authorization_ending
  authorization_races authorization_refresh backchannel_logout backup closing code_limit deadlock double_submit
  email_change events factor_reset first_admin guess_limit idempotency idempotency_key identities identity_link
  idp_account instances invitation last_admin migrate not_me outbox outbox_turns passkey_login
  password_reset private_link_ends rate_limit readiness registration second_step session sign_in_codes step_up sweep
  totp upload_crash upload_quota upload_share upload_state user_import user_search webhooks
`.trim().split(/\s+/);
const LONG_INTEGRATION = [
  "generated_clients",
  "backup",
  "admin_api",
  "account_model",
  "upload_crash",
  "idp_sign_in",
  "any_request",
  "long_values",
];
const BROWSER = [CHROMIUM, FONTS];
/**
 * Each of the files that run at once has a database in memory: with all of many cores, a machine would run out of it.
 */
const CORES = Math.min(navigator.hardwareConcurrency, 8);
/** For tests that often wait: for a browser, a process that starts, a deadline, or a response of a fixed duration. */
const MORE_THAN_CORES = CORES + 1;

export const TEST_GROUPS: TestGroup[] = [
  {
    name: "unit",
    files: /^(lib\/(?!fresh\/)|tests\/[^/]+$|tests\/model\/(checker|plan|planted_faults)_test)/,
    requires: [],
    jobs: CORES,
    together: 9,
  },
  {
    name: "integration",
    files: INTEGRATION,
    rest: ["account_model", "authorization_oracle", "client_package", "generated_clients", "long_values"],
    longest: LONG_INTEGRATION,
    requires: [],
    database: "embedded",
    jobs: MORE_THAN_CORES,
    together: 9,
  },
  {
    name: "integration:postgres",
    files: INTEGRATION_WITH_SQL,
    first: RACES,
    longest: LONG_INTEGRATION,
    requires: [POSTGRES],
    database: "postgres",
    jobs: MORE_THAN_CORES,
    together: 9,
  },
  { name: "fresh", files: /^lib\/fresh\//, requires: BROWSER, jobs: CORES },
  {
    name: "browser",
    files: /^tests\/browser\//,
    rest: ["every_page_and_size", "pages_in_arabic", "pages_in_german", "proxy_headers"],
    longest: [
      "every_page_and_size",
      "every_page",
      "pages_in_arabic",
      "pages_in_german",
      "photo_and_texts",
      "double_click",
      "idp",
    ],
    requires: [...BROWSER, NGINX, CADDY, OPENSSL],
    database: "embedded",
    jobs: MORE_THAN_CORES,
    together: 4,
  },
  {
    name: "starts",
    files: /^tests\/starts\//,
    rest: ["foyer_task", "isolates", "launcher", "metrics", "test_foyer"],
    longest: ["launcher", "process", "foyer_task", "isolates"],
    requires: [POSTGRES, SYSTEMD, YAML],
    database: "embedded",
    startsApps: true,
    jobs: MORE_THAN_CORES,
  },
  { name: "s3", files: /^tests\/s3\//, rest: "all", requires: [SWIFT, ...BROWSER], database: "embedded", jobs: CORES },
  { name: "apps", files: /^tests\/apps\//, rest: "all", requires: BROWSER, database: "embedded", jobs: CORES },
  {
    name: "faults",
    files: /^tests\/faults\/(?!(attacks|export|slow_bodies|upload)_test)/,
    rest: "all",
    longest: [
      "disk",
      "delivery",
      "backup_memory",
      "webhooks",
      "embedded",
      "commands_beside_service",
      "backup",
      "user_import",
      "upload_kill",
      "container",
    ],
    requires: [POSTGRES, PGBOUNCER, NGINX, CADDY, OPENSSL, SWIFT, MAIL_SERVER, BUILDAH, ZSH, JQ, SQLITE],
    database: "embedded",
    startsApps: true,
    jobs: MORE_THAN_CORES,
  },
  {
    name: "attacks", // nothing runs beside them: their times include those in which threads that hash wait for a core
    files: /^tests\/faults\/(attacks|export|slow_bodies|upload)_test/,
    rest: "all",
    // The export comes last: the disk is still busy with its 100,000 events afterward.
    longest: ["attacks", "slow_bodies", "upload"],
    requires: [POSTGRES],
    database: "embedded",
    startsApps: true,
    jobs: 1,
  },
  { name: "times", files: /^tests\/times\//, rest: "all", requires: [], database: "embedded", jobs: MORE_THAN_CORES },
  {
    name: "model",
    files: /^tests\/model\/model_test/,
    rest: "all",
    requires: [POSTGRES],
    startsApps: true,
    jobs: 1,
  },
  {
    name: "long",
    files: /^tests\/model\/(clock|long)_test/,
    requires: [POSTGRES],
    startsApps: true,
    jobs: 1,
    hours: 6,
  },
];

/** Returns the paths of all test files, sorted. */
export async function testFiles(folder = "."): Promise<string[]> {
  const files: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = folder === "." ? name : `${folder}/${name}`;
    if (isDirectory && !/^(\.|_fresh|node_modules$|coverage$)/.test(name)) files.push(...await testFiles(path));
    if (/_test\.tsx?$/.test(name)) files.push(path);
  }
  return files.sort();
}

/** Returns the test files of a group, in the order in which they start. */
function filesOf({ files, longest = [] }: TestGroup, all: string[]): string[] {
  const own = all.filter((file) => files.test(file));
  const first = longest.flatMap((name) => own.filter((file) => nameOf(file) === name));
  return [...new Set([...first, ...own])];
}

/**
 * Chooses what to run: the files of each group, in the order in which they start. Without names, that is everything but
 * the rest of each group. Groups that take hours run only by name. A file that is named without a group runs in the
 * first group to which it belongs.
 *
 * @param names of groups, and paths of test files, or `all`, or `rest`.
 * @throws {Error} when a name is neither, or a file belongs to none of the named groups.
 */
export function selectTests(names: string[], all: string[]): Map<TestGroup, string[]> {
  if (names.length === 0) return partOf(all, (isRest) => !isRest);
  if (names.join() === "rest") return partOf(all, (isRest) => isRest);
  if (names.join() === "all") return partOf(all, () => true);
  const named = TEST_GROUPS.filter(({ name }) => names.includes(name));
  const groups = named.length > 0 ? named : TEST_GROUPS;
  const paths = names.filter((name) => named.every((group) => group.name !== name)).map((path) => relative(".", path));
  if (paths.length === 0) return new Map(named.map((group) => [group, filesOf(group, all)]));
  const known = TEST_GROUPS.map(({ name }) => name).join(", ");
  return Map.groupBy(paths, (path) => {
    if (!all.includes(path)) throw new Error(`Neither a group nor a test file: ${path}. The groups are: ${known}`);
    const group = groups.find(({ files }) => files.test(path));
    if (group === undefined) throw new Error(`${path} does not belong to ${named.map(({ name }) => name).join(", ")}`);
    return group;
  });
}

/** Returns the files of each group that are wanted, given whether they are its rest. Leaves out groups without any. */
function partOf(all: string[], isWanted: (isRest: boolean) => boolean): Map<TestGroup, string[]> {
  const isRest = ({ rest = [], first }: TestGroup, file: string) =>
    rest === "all" || rest.includes(nameOf(file)) ||
    first !== undefined && file.startsWith("tests/") && !first.includes(nameOf(file));
  const parts = TEST_GROUPS.filter(({ hours }) => hours === undefined).map((group) =>
    [group, filesOf(group, all).filter((file) => isWanted(isRest(group, file)))] as const
  );
  return new Map(parts.filter(([, files]) => files.length > 0));
}

/** Returns the test files that belong to no group, and the names in groups that belong to no file. */
export function strayNames(all: string[]): { ungrouped: string[]; unknown: string[] } {
  const ungrouped = all.filter((file) => !TEST_GROUPS.some(({ files }) => files.test(file)));
  const unknown = TEST_GROUPS.flatMap((group) => {
    const { rest = [], first = [], longest = [] } = group;
    const own = filesOf(group, all).map(nameOf);
    return [...rest === "all" ? [] : rest, ...first, ...longest].filter((name) => !own.includes(name));
  });
  return { ungrouped, unknown };
}

function nameOf(file: string): string {
  return basename(file).replace(/_test\.tsx?$/, "");
}

/**
 * Joins files that run together. Those that take longest, and a few files that were named, stay alone.
 *
 * @param folder gets a module for each set of files, which imports them.
 * @returns the files to run, in the order in which they start.
 */
export async function joinFiles(
  { longest = [], jobs, together = 1 }: TestGroup,
  files: string[],
  folder: string,
): Promise<string[]> {
  const [alone, others] = [true, false].map((is) => files.filter((file) => longest.includes(nameOf(file)) === is));
  if (together === 1 || others.length <= jobs * together) return files;
  const sets = alone.map((file) => [file]);
  for (let start = 0; start < others.length; start += together) sets.push(others.slice(start, start + together));
  return await Promise.all(sets.map(async (set) => {
    const path = `${folder}/${[...new Set([nameOf(set[0]), nameOf(set.at(-1)!)])].join("_to_")}_test.ts`;
    const imports = set.map((file) => `import ${JSON.stringify(pathToFileURL(resolve(file)).href)};\n`);
    await Deno.writeTextFile(path, imports.join(""));
    return path;
  }));
}

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

export interface TestRun {
  files: string[];
  /** Options for `deno test`, such as `--filter`. */
  args: string[];
  jobs: number;
  hours?: number;
  env: Record<string, string>;
  /** Ends the test process when aborted. */
  signal: AbortSignal;
}

/** A group that takes longer, without `hours`, is considered stuck, and is ended. */
const GROUP_TIMEOUT_HOURS = 1 / 3;
const HOUR_MILLISECONDS = 60 * 60_000;

/** Runs test files in one process and prints its output. Returns null if the process ends without a summary. */
export async function runTests(
  { files, args, jobs, hours = GROUP_TIMEOUT_HOURS, env, signal }: TestRun,
): Promise<Counts | null> {
  const terminal = Deno.stdout.isTerminal() && !Deno.noColor;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--no-check", ...jobs > 1 ? ["--parallel"] : [], ...args, ...files],
    clearEnv: true,
    env: {
      ...env,
      DENO_JOBS: String(jobs),
      ...terminal ? { FORCE_COLOR: "1" } : { NO_COLOR: "1" },
    },
    stdin: "null",
    stdout: "piped",
    signal: AbortSignal.any([signal, AbortSignal.timeout(hours * HOUR_MILLISECONDS)]),
  }).spawn();
  const [printed, parsed] = child.stdout.tee();
  const [output, status] = await Promise.all([
    new Response(parsed).text(),
    child.status,
    printed.pipeTo(Deno.stdout.writable, { preventClose: true }),
  ]);
  const counts = countsOf(output);
  if (counts && !status.success && counts.failed === 0) return null;
  return counts;
}

/** Parses the last summary of `deno test`, such as `FAILED | 3 passed (4 steps) | 1 failed | 1 ignored (5ms)`. */
function countsOf(output: string): Counts | null {
  const summary = [...stripVTControlCharacters(output).matchAll(/^(?:ok|FAILED) \| \d+ passed.*$/gm)].at(-1)?.[0];
  if (summary === undefined) return null;
  const count = (word: string) => Number(summary.match(new RegExp(`(\\d+) ${word}`))?.[1] ?? 0);
  return { passed: count("passed"), failed: count("failed"), skipped: count("ignored") };
}
