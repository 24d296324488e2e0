import { delay } from "../support/delay.ts";
import { freePort } from "../support/processes/free_port.ts";
import { memoryOf } from "../support/processes/process_probe.ts";
import { register } from "../support/processes/process_session.ts";
import { load } from "./load.ts";
import { cpuSecondsOf, dataDirFor, type Rig, startFoyer } from "./rig.ts";
import { inTurns, type Row } from "./table.ts";

const MEGABYTE = 1_000_000;
const STARTS = 5;
const IDLE_MS = 10_000;
const IDLE_STARTS = 3;
const AGE = { connections: 4, stretch: 100_000, stretches: 5, lifetime: 2_000_000 };

/**
 * Compares two isolates to one, with a page that does not use the database. Each connection pipelines eight requests:
 * without pipelining, wrk would need half as much CPU as the app, which is supposed to use both cores.
 */
export async function cores({ cluster, folder }: Rig): Promise<Row[]> {
  const env = { DATABASE_URL: cluster.url };
  await using two = await startFoyer({ folder }, { ...env, DENO_JOBS: "2" });
  await using one = await startFoyer({ folder }, { ...env, DENO_JOBS: "1" });
  const script = `${folder}/pipelined.lua`;
  await Deno.writeTextFile(
    script,
    `init = function() requests = string.rep(wrk.format("GET", "/login"), 8) end
request = function() return requests end
`,
  );
  const rate = (url: string) => async () =>
    (await load({ url, connections: 32, seconds: 3, script })).requestsPerSecond;
  const { ours, bare } = await inTurns(rate(two.url), rate(one.url));
  return [{ what: "two isolates, compared to one: page `/login`", ours, bare, unit: "/s", target: ">= 1.7" }];
}

/** Measures the time from the command to the first response, on an existing database, and the memory when idle. */
export async function starts({ cluster, folder }: Rig): Promise<Row[]> {
  const rows: Row[] = [];
  for (
    const { engine, env, seconds, megabytes } of [
      { engine: "embedded", env: {}, seconds: 1, megabytes: 260 },
      { engine: "PostgreSQL", env: { DATABASE_URL: cluster.url }, seconds: 0.5, megabytes: 160 },
    ]
  ) {
    const dataDir = await dataDirFor({ folder }, env);
    await startTask(dataDir, env);
    const times: number[] = [];
    for (let i = 0; i < STARTS; i++) times.push(await startTask(dataDir, env));
    rows.push({ what: `\`task start\` to the first 200, ${engine}`, ours: times, unit: "s", target: `<= ${seconds}` });

    await (await startFoyer({ folder }, { ...env, DATA_DIR: dataDir }))[Symbol.asyncDispose]();
    const idle: number[] = [];
    for (let i = 0; i < IDLE_STARTS; i++) {
      await using app = await startFoyer({ folder }, { ...env, DATA_DIR: dataDir });
      await delay(IDLE_MS);
      idle.push(await memoryOf(app, "VmRSS") / MEGABYTE);
    }
    rows.push({ what: `memory when idle, ${engine}`, ours: idle, unit: "MB", target: `<= ${megabytes}` });
  }
  return rows;
}

/** Measures the same on an empty folder, where the embedded database is created, and the peak memory meanwhile. */
export async function firstStarts({ folder }: Rig): Promise<Row[]> {
  const newFolder = () => Deno.makeTempDir({ dir: folder });
  const times: number[] = [];
  const peaks: number[] = [];
  for (let i = 0; i < STARTS; i++) {
    times.push(await startTask(await newFolder(), {}));
    await using app = await startFoyer({ folder }, { DATA_DIR: await newFolder() });
    peaks.push(await memoryOf(app, "VmHWM") / MEGABYTE);
  }
  const what = "the very first `task start`, embedded";
  return [
    { what: `${what}: to the first 200`, ours: times, unit: "s", target: "<= 2" },
    { what: `${what}: peak memory`, ours: peaks, unit: "MB", target: "<= 450" },
  ];
}

/** Runs the README's command. Returns the seconds until the first response. */
async function startTask(dataDir: string, env: Record<string, string>): Promise<number> {
  const port = freePort();
  const startedAt = performance.now();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", "start"],
    env: { ...env, DATA_DIR: dataDir, PORT: String(port) },
    stdout: "null",
    stderr: "null",
  }).spawn();
  while (!await fetch(`http://127.0.0.1:${port}/api/health`).then(isOk, () => false)) await delay(5);
  const seconds = (performance.now() - startedAt) / 1000;
  child.kill("SIGTERM");
  await child.status;
  return seconds;
}

async function isOk(response: Response): Promise<boolean> {
  await response.body?.cancel();
  return response.ok;
}

/**
 * Compares the cost of the last of many requests to that of the first ones after the warm-up. Uses one isolate: with
 * two, the distribution of the four connections would matter more than age.
 */
export async function aging({ cluster, folder }: Rig): Promise<Row[]> {
  await using app = await startFoyer({ folder }, { DATABASE_URL: cluster.url, DENO_JOBS: "1" });
  const { cookie } = await register(app, `aging${Date.now()}@example.com`);
  const options = { url: `${app.url}/api/profile`, connections: AGE.connections, headers: { Cookie: cookie } };
  const stretch = async () => {
    const cpuBefore = await cpuSecondsOf(app);
    let [requests, seconds] = [0, 0];
    while (requests < AGE.stretch) {
      const result = await load({ ...options, seconds: 5 });
      requests += result.requests;
      seconds += result.requests / result.requestsPerSecond;
    }
    const each = AGE.stretch / requests;
    const cpuSeconds = (await cpuSecondsOf(app) - cpuBefore) * each;
    return { seconds: seconds * each, cpuSeconds, resident: await memoryOf(app, "VmRSS") / MEGABYTE };
  };
  await stretch();
  const stretches: Awaited<ReturnType<typeof stretch>>[] = [];
  for (let i = 0; i < AGE.stretches; i++) stretches.push(await stretch());
  const [first, last] = [stretches[0], stretches.at(-1)!];
  let old = last;
  for (let i = AGE.stretches; i < AGE.lifetime / AGE.stretch; i++) old = await stretch();
  const slope = (last.resident - first.resident) / (AGE.stretches - 1);
  const what = "the last 100,000 of 500,000 requests, compared to the first";
  return [
    { what: `${what}: time`, ours: [last.seconds], bare: [first.seconds], unit: "s", target: "<= 1.05" },
    { what: `${what}: CPU`, ours: [last.cpuSeconds], bare: [first.cpuSeconds], unit: "s", target: "<= 1.05" },
    { what: "memory growth per 100,000 requests", ours: [slope], unit: "MB", target: "<= 1" },
    {
      what: "memory after 2,000,000 requests, compared to after 500,000",
      ours: [old.resident],
      bare: [last.resident],
      unit: "MB",
      target: "<= 1.05",
    },
  ];
}
