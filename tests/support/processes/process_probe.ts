import type { AppProcess } from "./app_process.ts";

/** The memory of an app with its image converters, and its response times, while a test puts load on it. */
export interface Strain {
  /** Peak memory minus the memory at the start. */
  growthBytes: number;
  peakBytes: number;
  /** The duration of each GET /api/health, sorted. */
  healthMs: number[];
  /** How long the app blocked: the longest duration without the time that the app and the probe waited for a core. */
  blockedMs: number;
}

/** Measures the memory and response times of an app while `act` runs. Linux only: uses the peak in /proc. */
export async function measureStrain(app: AppProcess, act: () => Promise<void>): Promise<Strain> {
  using probe = await startProbe(app);
  for (const { pid } of processesOf(app)) await Deno.writeTextFile(`/proc/${pid}/clear_refs`, "5");
  const before = await memoryOfAll(app, "VmRSS");
  await act();
  const answers = await probe.end();
  const peakBytes = await memoryOfAll(app, "VmHWM");
  return {
    growthBytes: peakBytes - before,
    peakBytes,
    healthMs: answers.map(({ ms }) => ms).sort((a, b) => a - b),
    blockedMs: Math.max(...answers.map(({ ms, coreWaitMs }) => ms - coreWaitMs)),
  };
}

export type ProbedApp = Pick<AppProcess, "url" | "pid">;

/** How long one GET /api/health took. */
export interface HealthAnswer {
  ms: number;
  /** How long the main thread of the app and the one that asked waited for a core. High on a busy machine. */
  coreWaitMs: number;
}

/** Asks an app for its health on another thread, until `end`, which returns all answers but the first. */
async function startProbe({ url, pid }: ProbedApp) {
  const worker = new Worker(import.meta.resolve("./health_probe.ts"), { type: "module" });
  const tell = (message: ProbedApp | "end") =>
    new Promise<HealthAnswer[]>((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = (event) => {
        event.preventDefault();
        reject(new Error(event.message));
      };
      worker.postMessage(message);
    });
  await tell({ url, pid });
  return {
    end: () => tell("end"),
    [Symbol.dispose]: () => worker.terminate(),
  };
}

/** Returns how long the main thread of a process and this thread have waited for a core so far. Linux only. */
export function coreWaitMsOf(pid: number): number {
  const [theirs, ours] = [pid, "thread-self"].map((id) => Deno.readTextFileSync(`/proc/${id}/schedstat`).split(" "));
  return (Number(theirs[1]) + Number(ours[1])) / 1e6;
}

function processesOf(app: AppProcess): { pid: number }[] {
  return [app, ...app.converterPids().map((pid) => ({ pid }))];
}

/** Returns the memory of an app with its image converters, in bytes. Linux only. */
export async function memoryOfAll(app: AppProcess, field: "VmRSS" | "VmHWM"): Promise<number> {
  const sizes = await Promise.all(processesOf(app).map((each) => memoryOf(each, field)));
  return sizes.reduce((sum, size) => sum + size);
}

/**
 * Returns the memory of a process in bytes: current (VmRSS), its peak (VmHWM), or what it shares with no other process
 * (RssAnon). An ended one has none. Linux only.
 */
export async function memoryOf({ pid }: { pid: number }, field: "VmRSS" | "VmHWM" | "RssAnon"): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) * 1024;
}

/**
 * Returns how many connections and stored objects an app has open. Linux only. Does not count the files of the embedded
 * database, which stay open once a table has been used.
 */
export async function fileDescriptorsOf({ pid }: AppProcess): Promise<number> {
  const folder = `/proc/${pid}/fd`;
  const targets = await Array.fromAsync(
    Deno.readDir(folder),
    ({ name }) => Deno.readLink(`${folder}/${name}`).catch(() => ""), // closed since
  );
  return targets.filter((target) => target.startsWith("socket:") || target.includes("/objects/")).length;
}
