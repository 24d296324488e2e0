import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import {
  BUILDAH,
  CADDY,
  CHROMIUM,
  JQ,
  MAIL_SERVER,
  NGINX,
  OPENSSL,
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
}

const INTEGRATION = /^(tests\/integration|db)\//;
/** Without the files about formats and markup: their results do not depend on the database. */
const INTEGRATION_WITH_SQL =
  /^(tests\/integration\/(?!(api_bounds|api_examples|cors|image_corpus|markup|problems|site_files|typed_client)_test)|db\/)/;
const LONG_INTEGRATION = [
  "generated_clients",
  "backup",
  "admin_api",
  "account_model",
  "upload_crash",
  "idp_sign_in",
  "any_request",
];
const CORES = navigator.hardwareConcurrency;
/** For tests that often wait: for a browser, a process that starts, a deadline, or a response of a fixed duration. */
const MORE_THAN_CORES = CORES + 1;

export const TEST_GROUPS: TestGroup[] = [
  { name: "unit", files: /^(lib\/(?!fresh\/)|tests\/[^/]+$|tests\/support\/)/, requires: [], jobs: CORES },
  {
    name: "integration",
    files: INTEGRATION,
    longest: LONG_INTEGRATION,
    requires: [],
    database: "embedded",
    jobs: MORE_THAN_CORES,
  },
  {
    name: "integration:postgres",
    files: INTEGRATION_WITH_SQL,
    longest: LONG_INTEGRATION,
    requires: [POSTGRES],
    database: "postgres",
    jobs: MORE_THAN_CORES,
  },
  { name: "s3", files: /^tests\/s3\//, requires: [SWIFT, CHROMIUM], database: "embedded", jobs: CORES },
  { name: "fresh", files: /^lib\/fresh\//, requires: [CHROMIUM], jobs: CORES },
  {
    name: "browser",
    files: /^tests\/browser\//,
    longest: ["every_page", "pages_in_arabic", "pages_in_german", "photo_and_texts", "double_click", "idp"],
    requires: [CHROMIUM, NGINX, CADDY, OPENSSL],
    database: "embedded",
    jobs: MORE_THAN_CORES,
  },
  { name: "apps", files: /^tests\/apps\//, requires: [CHROMIUM], database: "embedded", jobs: CORES },
  {
    name: "faults",
    files: /^tests\/faults\/(?!attacks_test)/,
    longest: [
      "disk",
      "delivery",
      "backup_memory",
      "webhooks",
      "embedded",
      "upload",
      "commands_beside_service",
      "backup",
      "user_import",
      "upload_kill",
      "container",
    ],
    requires: [POSTGRES, NGINX, CADDY, OPENSSL, SWIFT, MAIL_SERVER, BUILDAH, SYSTEMD, YAML, ZSH, JQ, SQLITE],
    database: "embedded",
    startsApps: true,
    jobs: MORE_THAN_CORES,
  },
  {
    name: "attacks", // nothing runs beside them: their times include those in which threads that hash wait for a core
    files: /^tests\/faults\/attacks_test/,
    requires: [POSTGRES],
    database: "embedded",
    startsApps: true,
    jobs: 1,
  },
  { name: "times", files: /^tests\/times\//, requires: [], database: "embedded", jobs: MORE_THAN_CORES },
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
export function filesOf({ files, longest = [] }: TestGroup, all: string[]): string[] {
  const own = all.filter((file) => files.test(file));
  const first = longest.flatMap((name) => own.filter((file) => file.includes(`/${name}_test.`)));
  return [...new Set([...first, ...own])];
}

/**
 * Chooses what to run: the files of each group, in the order in which they start. Without names, that is everything. A
 * file that is named without a group runs in the first group to which it belongs.
 *
 * @param names of groups, and paths of test files.
 * @throws {Error} when a name is neither, or a file belongs to none of the named groups.
 */
export function selectTests(names: string[], all: string[]): Map<TestGroup, string[]> {
  const named = TEST_GROUPS.filter(({ name }) => names.includes(name));
  const groups = named.length > 0 ? named : TEST_GROUPS;
  const paths = names.filter((name) => named.every((group) => group.name !== name)).map((path) => relative(".", path));
  if (paths.length === 0) return new Map(groups.map((group) => [group, filesOf(group, all)]));
  const known = TEST_GROUPS.map(({ name }) => name).join(", ");
  return Map.groupBy(paths, (path) => {
    if (!all.includes(path)) throw new Error(`Neither a group nor a test file: ${path}. The groups are: ${known}`);
    const group = groups.find(({ files }) => files.test(path));
    if (group === undefined) throw new Error(`${path} does not belong to ${named.map(({ name }) => name).join(", ")}`);
    return group;
  });
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
  env: Record<string, string>;
  /** Ends the test process when aborted. */
  signal: AbortSignal;
}

/** A group that takes longer is considered stuck, and is ended. */
const GROUP_TIMEOUT_MILLISECONDS = 20 * 60_000;

/** Runs test files in one process and prints its output. Returns null if the process ends without a summary. */
export async function runTests(
  { files, args, jobs, env, signal }: TestRun,
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
    signal: AbortSignal.any([signal, AbortSignal.timeout(GROUP_TIMEOUT_MILLISECONDS)]),
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
export function countsOf(output: string): Counts | null {
  const summary = [...stripVTControlCharacters(output).matchAll(/^(?:ok|FAILED) \| \d+ passed.*$/gm)].at(-1)?.[0];
  if (summary === undefined) return null;
  const count = (word: string) => Number(summary.match(new RegExp(`(\\d+) ${word}`))?.[1] ?? 0);
  return { passed: count("passed"), failed: count("failed"), skipped: count("ignored") };
}
