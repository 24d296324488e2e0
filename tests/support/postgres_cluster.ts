import { delay } from "./delay.ts";
import { freePort } from "./free_port.ts";
import { exists, postgresBinaries } from "./prerequisites.ts";

/** A PostgreSQL server that lives in a temporary folder and is gone, folder included, when disposed of. */
export interface Cluster extends AsyncDisposable {
  /** Address of the superuser on the database `postgres`. */
  url: string;
  /** Starts the server again on the same port and folder. */
  start(): Promise<void>;
  /** Fast shutdown: sessions are ended, everything committed is kept. */
  stop(): Promise<void>;
  /** Kills the server and its sessions at once; the next start recovers from its log. */
  kill(): Promise<void>;
  /** Freezes the server and its sessions: connections stay open and nothing answers. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Stops the server and starts it as a standby, which can be read only, until `select pg_promote()`. */
  demote(): Promise<void>;
}

export interface ClusterOptions {
  /** Whether commits reach the disk; off by default, because tests do not survive a power cut anyway. */
  fsync?: boolean;
  /** How many clients it lets in at a time. */
  maxConnections?: number;
}

const READY_TIMEOUT_MILLISECONDS = 30_000;

/**
 * Makes a fresh cluster and starts it on a free port of 127.0.0.1, trusting every local connection. Under root it
 * runs as the user `postgres` (else `nobody`), since PostgreSQL refuses root.
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const binaries = await postgresBinaries();
  if (binaries === null) throw new Error("Cannot start PostgreSQL: no server binaries in /usr/lib/postgresql/*/bin");
  const account = await serverAccount();
  const folder = await Deno.makeTempDir({ prefix: "foyer-postgres-" });
  if (account) await Deno.chown(folder, account.uid, account.gid);
  const setpriv = await exists("/usr/bin/setpriv");
  const port = freePort();
  const { fsync = false, maxConnections = 200 } = options;
  const server = new Server({ binaries, folder, account, port, fsync, maxConnections, setpriv });
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
    await server.initialise();
    await server.start();
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    url: `postgres://postgres@127.0.0.1:${server.port}/postgres`,
    start: () => server.start(),
    stop: () => server.stop(),
    kill: () => server.kill(),
    pause: () => server.pause(),
    resume: () => server.resume(),
    demote: () => server.demote(),
    [Symbol.asyncDispose]: dispose,
  };
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
  setpriv: boolean;
}

class Server {
  readonly port: number;
  readonly #options: ServerOptions;
  readonly #dataFolder: string;
  #process: Deno.ChildProcess | null = null;

  constructor(options: ServerOptions) {
    this.port = options.port;
    this.#options = options;
    this.#dataFolder = `${options.folder}/data`;
  }

  async initialise(): Promise<void> {
    const args = ["-D", this.#dataFolder, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--no-locale"];
    const { success, stderr } = await this.#command("initdb", [...args, "--no-sync"]).output();
    if (!success) throw new Error(`Cannot make a PostgreSQL cluster: ${new TextDecoder().decode(stderr)}`);
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
    this.#process = this.#command("postgres", ["-D", this.#dataFolder, ...args]).spawn();
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
    // Frozen first, or the server would start sessions while its children are being listed.
    await this.pause();
    for (const pid of await this.#pids()) signal(pid, "SIGKILL");
    await this.#ended();
  }

  /** The postmaster first: from then on it starts no further session. */
  async pause(): Promise<void> {
    if (this.#process) signal(this.#process.pid, "SIGSTOP");
    for (const pid of await this.#pids()) signal(pid, "SIGSTOP");
  }

  async resume(): Promise<void> {
    for (const pid of await this.#pids()) signal(pid, "SIGCONT");
  }

  async demote(): Promise<void> {
    await this.stop();
    await Deno.writeTextFile(`${this.#dataFolder}/standby.signal`, "");
    await this.start();
  }

  async #ended(): Promise<void> {
    await this.#process?.status;
    this.#process = null;
  }

  /** The postmaster and its sessions; each session is a process group of its own, so the group does not reach it. */
  async #pids(): Promise<number[]> {
    if (this.#process === null) return [];
    const { pid } = this.#process;
    const children = await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`).catch(() => "");
    return [pid, ...children.split(" ").filter(Boolean).map(Number)];
  }

  /** Line 8 of the pid file tells the state; it may be a dead server's, hence the look at line 1. */
  async #becomesReady(process: Deno.ChildProcess): Promise<boolean> {
    let ended = false;
    void process.status.then(() => ended = true);
    const deadline = Date.now() + READY_TIMEOUT_MILLISECONDS;
    while (!ended && Date.now() < deadline) {
      const lines = (await Deno.readTextFile(`${this.#dataFolder}/postmaster.pid`).catch(() => "")).split("\n");
      if (Number(lines[0]) === process.pid && /^(ready|standby)\s*$/.test(lines[7])) return true;
      await delay(20);
    }
    return false;
  }

  /** Where setpriv exists the server goes down with us, even when we are killed. */
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
    // A session may end between the look and the signal.
    if (!(error instanceof Deno.errors.NotFound) && !String(error).includes("ESRCH")) throw error;
  }
}

/** Null where the own user will do. */
async function serverAccount(): Promise<Account | null> {
  if (Deno.uid() !== 0) return null;
  for (const name of ["postgres", "nobody"]) {
    const line = (await Deno.readTextFile("/etc/passwd")).split("\n").find((line) => line.startsWith(`${name}:`));
    const [, , uid, gid] = line?.split(":") ?? [];
    if (uid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error("Cannot start PostgreSQL as root: there is neither a user postgres nor a user nobody");
}
