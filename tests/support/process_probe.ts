import type { AppProcess } from "./app_process.ts";

/** What a process went through while something was done to it. */
export interface Strain {
  /** By how much its memory grew at most; what it gave back meanwhile does not count. */
  growthBytes: number;
  peakBytes: number;
  /** How long GET /api/health took each time, sorted. */
  healthMs: number[];
  /** The longest of them, less what the app and we waited for a core: what the app kept others waiting itself. */
  blockedMs: number;
}

const PAUSE_MS = 5;

/** Watches an app's memory and health while `act` runs. Of Linux: it reads and resets the peak in /proc. */
export async function strainOf(app: AppProcess, act: () => Promise<void>): Promise<Strain> {
  await askHealth(app);
  await Deno.writeTextFile(`/proc/${app.pid}/clear_refs`, "5");
  const before = await memoryOf(app, "VmRSS");
  const answers: HealthAnswer[] = [];
  let isOver = false;
  const probing = (async () => {
    while (!isOver) {
      answers.push(await askHealth(app));
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  })();
  await act().finally(() => isOver = true);
  await probing;
  const peakBytes = await memoryOf(app, "VmHWM");
  return {
    growthBytes: peakBytes - before,
    peakBytes,
    healthMs: answers.map(({ ms }) => ms).sort((a, b) => a - b),
    blockedMs: Math.max(...answers.map(({ ms, coreWaitMs }) => ms - coreWaitMs)),
  };
}

interface HealthAnswer {
  ms: number;
  /** How much of it the app's main thread and ours waited for a core, which on a busy machine is most of it. */
  coreWaitMs: number;
}

async function askHealth({ url, pid }: AppProcess): Promise<HealthAnswer> {
  const waitedMs = coreWaitMsOf(pid);
  const startedAt = performance.now();
  const response = await fetch(`${url}/api/health`);
  await response.body?.cancel();
  if (!response.ok) throw new Error(`/api/health answered ${response.status}`);
  return { ms: performance.now() - startedAt, coreWaitMs: coreWaitMsOf(pid) - waitedMs };
}

/** How long the main thread of a process and this thread have waited for a core in their lives. Of Linux. */
function coreWaitMsOf(pid: number): number {
  const [theirs, ours] = [pid, "thread-self"].map((of) => Deno.readTextFileSync(`/proc/${of}/schedstat`).split(" "));
  return (Number(theirs[1]) + Number(ours[1])) / 1e6;
}

/** Bytes that a process holds, at the moment or at its peak. Of Linux. */
export async function memoryOf({ pid }: { pid: number }, field: "VmRSS" | "VmHWM"): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)![1]) * 1024;
}

/** How many files and connections an app has open. Of Linux. */
export async function fileDescriptorsOf({ pid }: AppProcess): Promise<number> {
  return (await Array.fromAsync(Deno.readDir(`/proc/${pid}/fd`))).length;
}
