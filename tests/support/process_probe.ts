import type { AppProcess } from "./app_process.ts";

/** How a process fared during a test's action. */
export interface Strain {
  /** By how much its memory grew at its peak. */
  growthBytes: number;
  peakBytes: number;
  /** How long each GET /api/health took, sorted. */
  healthMs: number[];
  /** The longest of them without the time that the app and this test waited for a core: how long the app blocked. */
  blockedMs: number;
}

const PAUSE_MS = 5;

/** Watches an app's memory and health while `act` runs. Linux only: reads and resets the peak in /proc. */
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
  /** How long the app's main thread and ours waited for a core, which is most of the time on a busy machine. */
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

/** How long the main thread of a process and this thread have waited for a core so far. Linux only. */
function coreWaitMsOf(pid: number): number {
  const [theirs, ours] = [pid, "thread-self"].map((of) => Deno.readTextFileSync(`/proc/${of}/schedstat`).split(" "));
  return (Number(theirs[1]) + Number(ours[1])) / 1e6;
}

/** Returns the memory of a process in bytes, now or at its peak. Linux only. */
export async function memoryOf({ pid }: { pid: number }, field: "VmRSS" | "VmHWM"): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)![1]) * 1024;
}

/** Returns how many files and connections an app has open. Linux only. */
export async function fileDescriptorsOf({ pid }: AppProcess): Promise<number> {
  return (await Array.fromAsync(Deno.readDir(`/proc/${pid}/fd`))).length;
}
