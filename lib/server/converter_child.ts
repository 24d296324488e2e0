import { DONE } from "../images/conversion_requests.ts";
import { type Message, readMessage, type Sink, writeAll, writeMessage } from "../images/messages.ts";
import { ALLOCATION, converterArguments } from "./app_arguments.ts";

/** A process that converts images for one borrower after another. */
export interface ConverterChild {
  pid: number;
  /** Resolves when the process has ended. */
  ended: Promise<void>;
  /** Passes a request on to the process, and answers to the borrower. Returns whether the process may be used again. */
  serve(borrower: Deno.UnixConn, request: Message): Promise<boolean>;
  /** Ends the process, even if it is working. */
  close(): void;
  /** Whether the process has ended, or is about to. */
  isClosed(): boolean;
}

/** What Deno itself needs of the environment: where its cache is, and how to load libraries. */
const PASSED_ON = ["DENO_DIR", "HOME", "XDG_CACHE_HOME", "NPM_CONFIG_REGISTRY", "LD_LIBRARY_PATH", "LD_PRELOAD"];
/**
 * Makes the C library use buffers of the same converter again. By default, `ALLOCATION` makes it ask the system for
 * each large one, and clearing their pages takes 5 ms for a photo. For that, a converter keeps 40 MB until it ends.
 */
const REUSE = { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "8000000" };
/** With a low priority, so that health checks and logins need not wait until an image is finished. */
const NICENESS = 5;

/** Starts a converter that may read the images of a folder. */
export function startConverter(folder: string): ConverterChild {
  const child = spawn(folder);
  const stdin = sinkOf(child.stdin);
  let isClosed = false;
  let borrower: Deno.UnixConn | undefined;

  function close() {
    isClosed = true;
    try {
      child.kill("SIGKILL");
    } catch { /* It has just ended. */ }
  }

  /** Output from a converter that is not lent means that an image has taken it over. */
  async function passAnswersOn() {
    for await (const bytes of child.stdout) {
      if (borrower === undefined) return;
      await writeAll(borrower, bytes);
    }
  }

  const answering = passAnswersOn().catch(() => {}).finally(close).then(() => false);
  return {
    pid: child.pid,
    ended: child.status.then(() => {}),
    async serve(connection, request) {
      borrower = connection;
      return await Promise.race([passOn(request, { borrower, converter: stdin }), answering])
        .finally(() => borrower = undefined);
    },
    close,
    isClosed: () => isClosed,
  };
}

/**
 * Passes a request on. Returns true once the borrower says that it is done, and false if it says anything else or its
 * connection ends. Does not wait for the converter: the end must be noticed even if the converter reads nothing.
 */
async function passOn(
  request: Message,
  { borrower, converter }: { borrower: Deno.UnixConn; converter: Sink },
): Promise<boolean> {
  void writeMessage(converter, request).catch(() => {});
  return await readMessage(borrower).then((message) => message?.value === DONE, () => false);
}

function spawn(folder: string): Deno.ChildProcess {
  const variables = PASSED_ON.map((name) => [name, Deno.env.get(name)]).filter(([, value]) => value !== undefined);
  const options = {
    clearEnv: true,
    env: { ...REUSE, ...ALLOCATION, ...Object.fromEntries(variables) },
    stdin: "piped",
    stdout: "piped",
  } as const;
  const args = converterArguments(folder);
  try {
    return new Deno.Command("nice", { args: [`-n${NICENESS}`, Deno.execPath(), ...args], ...options }).spawn();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return new Deno.Command(Deno.execPath(), { args, ...options }).spawn(); // a small container may have no `nice`
  }
}

function sinkOf(stream: WritableStream<Uint8Array>): Sink {
  const writer = stream.getWriter();
  return {
    async write(bytes) {
      await writer.write(bytes);
      return bytes.length;
    },
  };
}
