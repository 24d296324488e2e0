import { MINUTE_SECONDS } from "../duration.ts";
import { LENT } from "../images/conversion_requests.ts";
import { socketIn } from "../images/converter_folder.ts";
import { type ConverterPool, converterPool } from "../images/converter_pool.ts";
import { readMessage, writeMessage } from "../images/messages.ts";
import { type ConverterChild, startConverter } from "./converter_child.ts";

/** The image converters of a service. */
export interface Converters extends Disposable {
  /** The folder with the socket where each connection borrows a converter, and with the images. */
  folder: string;
  /** Returns the ids of the processes. */
  pids(): number[];
}

/**
 * Lends converters to the connections to a socket that only this user can reach, in the order of their requests. There
 * is one for each core, and all isolates share them. A converter that has finished its image waits for the next one for
 * a minute by default. One whose connection ends before that ends too.
 */
export function listenForConverters({ idleSeconds = MINUTE_SECONDS } = {}): Converters {
  // Not in DATA_DIR, which several services may share, and whose path may be too long for a socket.
  const folder = Deno.makeTempDirSync({ prefix: "foyer-converters-" });
  const listener = Deno.listen({ transport: "unix", path: socketIn(folder) });
  const running = new Set<ConverterChild>();
  const pool = converterPool({
    open: () => startCounted(folder, running),
    max: navigator.hardwareConcurrency,
    idleSeconds,
  });
  void acceptAll(listener, pool);
  return {
    folder,
    pids: () => Array.from(running, ({ pid }) => pid),
    [Symbol.dispose]() {
      listener.close();
      pool[Symbol.dispose]();
      for (const converter of running) converter.close();
      Deno.removeSync(folder, { recursive: true });
    },
  };
}

function startCounted(folder: string, running: Set<ConverterChild>): ConverterChild {
  const converter = startConverter(folder);
  running.add(converter);
  void converter.ended.then(() => running.delete(converter));
  return converter;
}

async function acceptAll(listener: Deno.UnixListener, pool: ConverterPool<ConverterChild>): Promise<void> {
  for await (const connection of listener) {
    void lend(connection, pool).catch((error) => console.error("Cannot run an image converter:", error));
  }
}

async function lend(connection: Deno.UnixConn, pool: ConverterPool<ConverterChild>): Promise<void> {
  using _connection = connection;
  const request = await readMessage(connection).catch(() => null);
  if (request === null) return;
  await pool.lend(async ({ serve }) => {
    // Its isolate may have ended while the request has waited. That must not cost a converter.
    const isWaiting = await writeMessage(connection, { value: LENT, parts: [] }).then(() => true, () => false);
    return !isWaiting || await serve(connection, request);
  });
}
