import { type AppProcess, startApp } from "../support/processes/app_process.ts";
import { freePort } from "../support/processes/free_port.ts";
import { type Cluster, startCluster } from "../support/database/postgres_cluster.ts";
import { waitFor } from "../support/wait_for.ts";

/** A PostgreSQL server and a folder for a benchmark. Disposing removes both. */
export interface Rig extends AsyncDisposable {
  cluster: Cluster;
  folder: string;
}

export async function openRig(): Promise<Rig> {
  const folder = await Deno.makeTempDir({ prefix: "foyer-bench-" });
  const cluster = await startCluster({ fsync: true });
  return {
    cluster,
    folder,
    async [Symbol.asyncDispose]() {
      await cluster[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Starts the built app. Its log goes to a file, as in production. Logins are not limited. */
export async function startFoyer(
  { folder }: Pick<Rig, "folder">,
  env: Record<string, string>,
): Promise<AppProcess> {
  const log = await Deno.makeTempFile({ dir: folder, prefix: "log-" });
  return await startApp({
    dataDir: await dataDirFor({ folder }, env),
    env: { LOGIN_MAX_ATTEMPTS: "0", ...env },
    prelude: `exec >${log} 2>&1`,
  });
}

/** Returns a new folder for an app, or the shared one of the apps that share the database. */
export async function dataDirFor(
  { folder }: Pick<Rig, "folder">,
  env: { DATABASE_URL?: string },
): Promise<string> {
  if (env.DATABASE_URL === undefined) return await Deno.makeTempDir({ dir: folder });
  await Deno.mkdir(`${folder}/shared`, { recursive: true });
  return `${folder}/shared`;
}

/** Starts one of the servers of bare.tsx. */
export async function startBare(name: string, env: Record<string, string> = {}): Promise<AppProcess> {
  const port = freePort();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", new URL("bare.tsx", import.meta.url).href, name],
    env: { PORT: String(port), ...env },
  }).spawn();
  const url = `http://127.0.0.1:${port}`;
  await waitFor("the bare server", () => fetch(url).then((response) => response.text(), () => null));
  return {
    url,
    pid: child.pid,
    converterPids: () => [],
    output: () => "",
    kill: (signal) => child.kill(signal),
    ended: child.status.then(({ code }) => code),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.status;
    },
  };
}

/** Returns the CPU time of a process so far, including all threads. Linux only. */
export async function cpuSecondsOf({ pid }: { pid: number }): Promise<number> {
  const fields = (await Deno.readTextFile(`/proc/${pid}/stat`)).split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
