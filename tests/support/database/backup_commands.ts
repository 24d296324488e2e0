import { strictEqual } from "node:assert/strict";
import { delay } from "../delay.ts";
import { memoryOf } from "../processes/process_probe.ts";
import { COMMAND_MAX_MS } from "../wait_for.ts";

/** Starts `deno task foyer`, as an operator does: with the permissions of the service, and no others. */
export function spawnFoyer(args: string[], env: Record<string, string>): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", "foyer", ...args],
    env: { APP_ENV: "development", LOG_LEVEL: "error", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    signal: AbortSignal.timeout(COMMAND_MAX_MS),
  }).spawn();
}

/** Runs `deno task foyer`. */
export async function foyer(args: string[], env: Record<string, string>) {
  const { code, stdout, stderr } = await spawnFoyer(args, env).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** Returns the processes that a command consists of. The last one does the work. */
export async function processesOf({ pid }: Deno.ChildProcess): Promise<number[]> {
  const pids = [pid];
  for (const each of pids) {
    const children = await Deno.readTextFile(`/proc/${each}/task/${each}/children`).catch(() => "");
    pids.push(...children.split(" ").filter(Boolean).map(Number));
  }
  return pids;
}

/** Runs a command, and returns the peak memory of the process that does the work. */
export async function peakMemoryOf(args: string[], env: Record<string, string>): Promise<number> {
  const child = spawnFoyer(args, env);
  const ended = child.output();
  let [isOver, peak] = [false, 0];
  const over = ended.finally(() => isOver = true);
  while (!isOver) {
    for (const pid of await processesOf(child)) {
      peak = Math.max(peak, await memoryOf({ pid }, "VmHWM").catch(() => 0)); // it may have ended
    }
    await delay(20);
  }
  const { code, stderr } = await over;
  strictEqual(code, 0, new TextDecoder().decode(stderr));
  return peak;
}
