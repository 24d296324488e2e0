import { copyFolder } from "./copy_folder.ts";
import { delay } from "../delay.ts";
import { freePort } from "../processes/free_port.ts";
import { exists, postgresBinaries } from "../prerequisites.ts";

/** A PostgreSQL server in a temporary folder. Disposing stops it and deletes the folder. */
export interface Cluster extends AsyncDisposable {
  /** URL of the database `postgres`, with the superuser. */
  url: string;
  /** The data folder. */
  folder: string;
  /** Starts the server again with the same port and folder. */
  start(): Promise<void>;
  /** Fast shutdown: ends the sessions and keeps all committed data. */
  stop(): Promise<void>;
  /** Kills the server and its sessions. The next start recovers from the log. */
  kill(): Promise<void>;
  /** Freezes the server and its sessions: connections stay open, but nothing responds. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Restarts the server as a standby, which is read-only until `select pg_promote()`. */
  demote(): Promise<void>;
  /** Starts a standby that follows this server. It takes writes after `select pg_promote()`. */
  replicate(): Promise<Cluster>;
}

export interface ClusterOptions {
  /** Whether commits are flushed to the disk. Off by default, because tests do not simulate power failures. */
  fsync?: boolean;
  /** The maximum number of concurrent connections. */
  maxConnections?: number;
  /** The server to follow, as a standby. */
  primary?: URL;
}

/** Names the folder that new clusters are copied from, which takes an eighth of the time of creating one. */
const TEMPLATE_VARIABLE = "TEST_CLUSTER_TEMPLATE";
const READY_TIMEOUT_MILLISECONDS = 30_000;

/**
 * Creates a cluster and starts it on a free port of 127.0.0.1, without passwords. As root, runs it as the user
 * `postgres`, or `nobody` if there is none, because PostgreSQL refuses to run as root.
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const binaries = await postgresBinaries();
  if (binaries === null) throw new Error("Cannot start PostgreSQL: no binaries in /usr/lib/postgresql/*/bin");
  const account = await serverAccount();
  const folder = await Deno.makeTempDir({ prefix: "foyer-postgres-" });
  if (account) await Deno.chown(folder, account.uid, account.gid);
  const setpriv = await exists("/usr/bin/setpriv");
  const port = freePort();
  const { fsync = false, maxConnections = 200, primary } = options;
  const server = new Server({ binaries, folder, account, port, fsync, maxConnections, primary, setpriv });
  let removal: Promise<void> | undefined;
  const remove = () => removal ??= server.stop().then(() => Deno.remove(folder, { recursive: true }));
  const removeAndExit = () => void remove().finally(() => Deno.exit(130));
  Deno.addSignalListener("SIGINT", removeAndExit);
  Deno.addSignalListener("SIGTERM", removeAndExit);
  const dispose = async () => {
    Deno.removeSignalListener("SIGINT", removeAndExit);
    Deno.removeSignalListener("SIGTERM", removeAndExit);
    await remove();
  };
  try {
    await server.initialize();
    await server.start();
  } catch (error) {
    await dispose();
    throw error;
  }
  const url = `postgres://postgres@127.0.0.1:${server.port}/postgres`;
  return {
    url,
    folder: server.folder,
    start: () => server.start(),
    stop: () => server.stop(),
    kill: () => server.kill(),
    pause: () => server.pause(),
    resume: () => server.resume(),
    demote: () => server.demote(),
    replicate: () => startCluster({ ...options, primary: new URL(url) }),
    [Symbol.asyncDispose]: dispose,
  };
}

/**
 * Creates the folder that clusters of other processes are copied from.
 *
 * @returns the environment variable through which they find it.
 */
export async function createClusterTemplate(path: string): Promise<Record<string, string>> {
  await using cluster = await startCluster();
  await cluster.stop();
  await copyFolder(cluster.folder, path);
  return { [TEMPLATE_VARIABLE]: path };
}

interface Account {
  uid: number;
  gid: number;
}

interface ServerOptions {
  binaries: string;
  folder: string;
  account: Account | null;
  port: number;
  fsync: boolean;
  maxConnections: number;
  primary?: URL;
  setpriv: boolean;
}

class Server {
  readonly port: number;
  readonly #options: ServerOptions;
  readonly folder: string;
  #process: Deno.ChildProcess | null = null;

  constructor(options: ServerOptions) {
    this.port = options.port;
    this.#options = options;
    this.folder = `${options.folder}/data`;
  }

  async initialize(): Promise<void> {
    const { primary } = this.#options;
    if (primary) return await this.#copyFrom(primary);
    const template = Deno.env.get(TEMPLATE_VARIABLE);
    if (template) return await copyFolder(template, this.folder);
    const args = ["-D", this.folder, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--no-locale"];
    const { success, stderr } = await this.#command("initdb", [...args, "--no-sync"]).output();
    if (!success) throw new Error(`Cannot create a PostgreSQL cluster: ${new TextDecoder().decode(stderr)}`);
  }

  async #copyFrom({ hostname, port, username }: URL): Promise<void> {
    const server = ["--host", hostname, "--port", port, "--username", username];
    const args = [...server, "--pgdata", this.folder, "--write-recovery-conf", "--checkpoint=fast", "--no-sync"];
    const { success, stderr } = await this.#command("pg_basebackup", args).output();
    if (!success) throw new Error(`Cannot copy a PostgreSQL cluster: ${new TextDecoder().decode(stderr)}`);
  }

  async start(): Promise<void> {
    const { folder, fsync, maxConnections } = this.#options;
    const settings = {
      listen_addresses: "127.0.0.1",
      port: this.port,
      unix_socket_directories: folder,
      max_connections: maxConnections,
      fsync: fsync ? "on" : "off",
      synchronous_commit: fsync ? "on" : "off",
      full_page_writes: fsync ? "on" : "off",
    };
    const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    this.#process = this.#command("postgres", ["-D", this.folder, ...args]).spawn();
    const log = new Response(this.#process.stderr).text();
    if (await this.#becomesReady(this.#process)) return;
    await this.kill();
    throw new Error(`Cannot start PostgreSQL: ${await log}`);
  }

  async stop(): Promise<void> {
    if (this.#process === null) return;
    await this.resume();
    signal(this.#process.pid, "SIGINT");
    await this.#ended();
  }

  async kill(): Promise<void> {
    if (this.#process === null) return;
    // Freeze it first: otherwise it could start sessions while its child processes are being listed.
    await this.pause();
    for (const pid of await this.#pids()) signal(pid, "SIGKILL");
    await this.#ended();
  }

  /** Freezes the postmaster first, so that it starts no further sessions. It may be starting one just now. */
  async pause(): Promise<void> {
    if (this.#process) {
      const { pid } = this.#process;
      signal(pid, "SIGSTOP");
      const state = async () =>
        (await Deno.readTextFile(`/proc/${pid}/stat`).catch(() => ") T")).split(") ").at(-1)![0];
      while (await state() !== "T" && await state() !== "Z") await delay(1);
    }
    for (const pid of await this.#pids()) signal(pid, "SIGSTOP");
  }

  async resume(): Promise<void> {
    for (const pid of await this.#pids()) signal(pid, "SIGCONT");
  }

  async demote(): Promise<void> {
    await this.stop();
    await Deno.writeTextFile(`${this.folder}/standby.signal`, "");
    await this.start();
  }

  async #ended(): Promise<void> {
    await this.#process?.status;
    this.#process = null;
  }

  /** Returns the processes of the server. A signal to its process group would not reach the sessions. */
  async #pids(): Promise<number[]> {
    if (this.#process === null) return [];
    const { pid } = this.#process;
    const children = await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`).catch(() => "");
    return [pid, ...children.split(" ").filter(Boolean).map(Number)];
  }

  /** Line 8 of the PID file holds the state. Line 1 shows whether the file belongs to this process or to a dead one. */
  async #becomesReady(process: Deno.ChildProcess): Promise<boolean> {
    let ended = false;
    void process.status.then(() => ended = true);
    const deadline = Date.now() + READY_TIMEOUT_MILLISECONDS;
    while (!ended && Date.now() < deadline) {
      const lines = (await Deno.readTextFile(`${this.folder}/postmaster.pid`).catch(() => "")).split("\n");
      if (Number(lines[0]) === process.pid && /^(ready|standby)\s*$/.test(lines[7])) return true;
      await delay(20);
    }
    return false;
  }

  /** With setpriv, the server ends with this process even if this process is killed. */
  #command(name: string, args: string[]): Deno.Command {
    const { binaries, folder, account, setpriv } = this.#options;
    const env = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C" };
    const options = { cwd: folder, stdin: "null", stdout: "null", stderr: "piped", clearEnv: true, env } as const;
    if (!setpriv) return new Deno.Command(`${binaries}/${name}`, { ...options, args, ...account });
    const identity = account ? [`--reuid=${account.uid}`, `--regid=${account.gid}`, "--clear-groups"] : [];
    const command = [...identity, "--pdeathsig=INT", `${binaries}/${name}`, ...args];
    return new Deno.Command("setpriv", { ...options, args: command });
  }
}

function signal(pid: number, name: Deno.Signal): void {
  try {
    Deno.kill(pid, name);
  } catch (error) {
    // The session may have ended since it was listed.
    if (!(error instanceof Deno.errors.NotFound) && !String(error).includes("ESRCH")) throw error;
  }
}

/** Returns the account to run the server as, or null for the current user. */
async function serverAccount(): Promise<Account | null> {
  if (Deno.uid() !== 0) return null;
  for (const name of ["postgres", "nobody"]) {
    const line = (await Deno.readTextFile("/etc/passwd")).split("\n").find((line) => line.startsWith(`${name}:`));
    const [, , uid, gid] = line?.split(":") ?? [];
    if (uid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error("Cannot start PostgreSQL as root: no user postgres or nobody exists");
}
