import { stripVTControlCharacters } from "node:util";
import { CHROMIUM, NGINX, OPENSSL, POSTGRES, type Prerequisite, SWIFT } from "./prerequisites.ts";

/** Tests that run in one process. */
export interface TestGroup {
  name: string;
  /** Which test files belong to it, by path from the project's folder. */
  files: RegExp;
  needs: Prerequisite[];
  /** Whether its tests open their databases on the PostgreSQL cluster. */
  onPostgres?: boolean;
  /** Those that measure time or memory want the machine for themselves. */
  parallel: boolean;
}

const INTEGRATION = /^(tests\/integration|db)\//;
/** They start apps and kill them, and then mostly wait for what a dead process had in hand. */
const KILLS = /^tests\/faults\/(deadlock|delivery|embedded|instances|isolates|pool|process|readme)_test\.ts$/;

export const TEST_GROUPS: TestGroup[] = [
  { name: "unit", files: /^(lib\/(?!fresh\/)|tests\/[^/]+$|tests\/support\/)/, needs: [], parallel: true },
  { name: "integration", files: INTEGRATION, needs: [], parallel: true },
  { name: "integration:postgres", files: INTEGRATION, needs: [POSTGRES], onPostgres: true, parallel: true },
  { name: "s3", files: /^tests\/s3\//, needs: [SWIFT, CHROMIUM], parallel: true },
  { name: "fresh", files: /^lib\/fresh\//, needs: [CHROMIUM], parallel: true },
  { name: "browser", files: /^tests\/browser\//, needs: [CHROMIUM], parallel: true },
  { name: "kills", files: KILLS, needs: [POSTGRES], parallel: true },
  {
    name: "faults",
    files: new RegExp(`(?!${KILLS.source})^tests/faults/`),
    needs: [POSTGRES, NGINX, OPENSSL],
    parallel: false,
  },
];

/** Every file of the project that holds tests, sorted. */
export async function testFiles(folder = "."): Promise<string[]> {
  const files: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = folder === "." ? name : `${folder}/${name}`;
    if (isDirectory && !/^(\.|_fresh|node_modules$|coverage$)/.test(name)) files.push(...await testFiles(path));
    if (/_test\.tsx?$/.test(name)) files.push(path);
  }
  return files.sort();
}

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

export interface TestRun {
  files: string[];
  /** Passed on to `deno test`, such as `--filter`. */
  args: string[];
  parallel: boolean;
  env: Record<string, string>;
  /** Ends the process. */
  signal: AbortSignal;
}

/** A group that takes longer hangs. */
const GROUP_TIMEOUT_MILLISECONDS = 20 * 60_000;

/** Runs test files in one process, showing its output; null where the process ends without saying how it went. */
export async function runTests({ files, args, parallel, env, signal }: TestRun): Promise<Counts | null> {
  const terminal = Deno.stdout.isTerminal() && !Deno.noColor;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--no-check", ...parallel ? ["--parallel"] : [], ...args, ...files],
    clearEnv: true,
    env: { ...env, ...terminal ? { FORCE_COLOR: "1" } : { NO_COLOR: "1" } },
    stdin: "null",
    stdout: "piped",
    signal: AbortSignal.any([signal, AbortSignal.timeout(GROUP_TIMEOUT_MILLISECONDS)]),
  }).spawn();
  const [shown, kept] = child.stdout.tee();
  const [output, status] = await Promise.all([
    new Response(kept).text(),
    child.status,
    shown.pipeTo(Deno.stdout.writable, { preventClose: true }),
  ]);
  const counts = countsOf(output);
  if (counts && !status.success && counts.failed === 0) return null;
  return counts;
}

/** Reads the last summary of `deno test`, as in `FAILED | 3 passed (4 steps) | 1 failed | 1 ignored (5ms)`. */
export function countsOf(output: string): Counts | null {
  const summary = [...stripVTControlCharacters(output).matchAll(/^(?:ok|FAILED) \| \d+ passed.*$/gm)].at(-1)?.[0];
  if (summary === undefined) return null;
  const count = (word: string) => Number(summary.match(new RegExp(`(\\d+) ${word}`))?.[1] ?? 0);
  return { passed: count("passed"), failed: count("failed"), skipped: count("ignored") };
}
