import { converterArguments } from "./app_arguments.ts";

/** The image converters of a service. */
export interface Converters extends Disposable {
  /** The path of the socket where each connection gets a converter. */
  socket: string;
  /** Returns the ids of the processes. */
  pids(): number[];
}

/** What Deno itself needs of the environment: where its cache is, and how to load libraries. */
const PASSED_ON = ["DENO_DIR", "HOME", "XDG_CACHE_HOME", "NPM_CONFIG_REGISTRY", "LD_LIBRARY_PATH", "LD_PRELOAD"];
/** Makes the C library return memory to the system. Otherwise, it keeps about 60 MB more after an image. */
const ALLOCATION = { MALLOC_ARENA_MAX: "2", MALLOC_TRIM_THRESHOLD_: "1000000" };

/**
 * Starts a converter for each connection to a socket that only this user can reach. The converter ends with its
 * connection, and the connection with its converter.
 */
export function listenForConverters(): Converters {
  // Not in DATA_DIR, which several services may share, and whose path may be too long for a socket.
  const folder = Deno.makeTempDirSync({ prefix: "foyer-converters-" });
  const socket = `${folder}/converters`;
  const listener = Deno.listen({ transport: "unix", path: socket });
  const running = new Set<Deno.ChildProcess>();
  void acceptAll(listener, running);
  return {
    socket,
    pids: () => Array.from(running, ({ pid }) => pid),
    [Symbol.dispose]() {
      listener.close();
      for (const converter of running) end(converter);
      Deno.removeSync(folder, { recursive: true });
    },
  };
}

async function acceptAll(listener: Deno.UnixListener, running: Set<Deno.ChildProcess>): Promise<void> {
  for await (const connection of listener) {
    void serve(connection, running).catch((error) => console.error("Cannot run an image converter:", error));
  }
}

async function serve(connection: Deno.UnixConn, running: Set<Deno.ChildProcess>): Promise<void> {
  using _connection = connection;
  const converter = spawnConverter();
  running.add(converter);
  const answers = converter.stdout.pipeTo(connection.writable).catch(() => {});
  await Promise.race([forward(connection, converter.stdin.getWriter()), answers]);
  end(converter);
  await converter.status;
  running.delete(converter);
}

function spawnConverter(): Deno.ChildProcess {
  const variables = PASSED_ON.map((name) => [name, Deno.env.get(name)]).filter(([, value]) => value !== undefined);
  return new Deno.Command(Deno.execPath(), {
    args: converterArguments(),
    clearEnv: true,
    env: { ...ALLOCATION, ...Object.fromEntries(variables) },
    stdin: "piped",
    stdout: "piped",
  }).spawn();
}

/** Does not wait for the converter: the end of the connection must be noticed even if the converter reads nothing. */
async function forward(connection: Deno.UnixConn, stdin: WritableStreamDefaultWriter<Uint8Array>): Promise<void> {
  try {
    for await (const bytes of connection.readable) stdin.write(bytes).catch(() => {});
  } catch { /* The connection has been closed. */ }
}

function end(converter: Deno.ChildProcess): void {
  try {
    converter.kill("SIGKILL");
  } catch { /* It has just ended. */ }
}
