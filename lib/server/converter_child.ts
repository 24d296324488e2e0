import { stateAfter } from "../images/conversion_answers.ts";
import { type Message, readMessage, type Sink, type Source, writeMessage } from "../images/messages.ts";
import { ALLOCATION, converterArguments } from "./app_arguments.ts";

/** A process that converts images for one borrower after another. */
export interface ConverterChild {
  pid: number;
  /** Resolves when the process has ended. */
  ended: Promise<void>;
  /** Passes a request on to the process, and all answers but the last one to the borrower. */
  serve(borrower: Deno.UnixConn, request: Message): Promise<Served>;
  /** Ends the process, even if it is working. */
  close(): void;
  /** Whether the process has ended, or is about to. */
  isClosed(): boolean;
}

/** The end of a request. */
interface Served {
  /** The last answer; null if the process or its borrower has ended first, or if the answer is no message. */
  answer: Message | null;
  /** Whether the process may be used again. */
  isReusable: boolean;
}

/** What Deno itself needs of the environment: where its cache is, and how to load libraries. */
const PASSED_ON = ["DENO_DIR", "HOME", "XDG_CACHE_HOME", "NPM_CONFIG_REGISTRY", "LD_LIBRARY_PATH", "LD_PRELOAD"];
/**
 * Makes the C library use buffers of the same converter again. By default, `ALLOCATION` makes it ask the system for each
 * large one, and clearing their pages takes 5 ms for a photo. For that, a converter keeps 40 MB until it ends.
 */
const REUSE = { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "8000000" };
/** With a low priority, so that health checks and logins need not wait until an image is finished. */
const NICENESS = 5;

/** Starts a converter that may read the images of a folder. */
export function startConverter(folder: string): ConverterChild {
  const child = spawn(folder);
  const stdin = sinkOf(child.stdin);
  let [isLent, isClosed] = [false, false];

  function close() {
    isClosed = true;
    void stdout.cancel();
    try {
      child.kill("SIGKILL");
    } catch { /* It has just ended. */ }
  }

  const stdout = sourceOf(child.stdout, {
    // Only a converter that an image has taken over says anything when it is not lent, or more than its last answer.
    onBytes: () => isLent || close(),
    onEnd: close,
  });
  return {
    pid: child.pid,
    ended: child.status.then(() => {}),
    async serve(borrower, request) {
      isLent = true;
      void writeMessage(stdin, request).catch(() => {}); // not awaited: it may never read the request
      const served = await Promise.race([passAnswersOn(stdout, borrower), endOf(borrower)]);
      isLent = false;
      if (stdout.hasUnread()) close();
      return served;
    },
    close,
    isClosed: () => isClosed,
  };
}

/** The last answer is missing: the process may still be working, or it is no longer of use. */
const UNANSWERED: Served = { answer: null, isReusable: false };

async function passAnswersOn(converter: Source, borrower: Deno.UnixConn): Promise<Served> {
  try {
    let isDecoded = false;
    while (true) {
      const answer = await readMessage(converter);
      if (answer === null) return UNANSWERED;
      const state = stateAfter(answer, { isDecoded });
      if (state !== "decoded") return { answer, isReusable: state === "free" };
      isDecoded = true;
      await writeMessage(borrower, answer);
    }
  } catch {
    return UNANSWERED;
  }
}

/** A borrower says nothing after its request. Its end must be noticed even if the converter says nothing either. */
async function endOf(borrower: Deno.UnixConn): Promise<Served> {
  await readMessage(borrower).catch(() => {});
  return UNANSWERED;
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

/** A source that is read ahead, so that `onBytes` and `onEnd` are called between requests too. */
interface WatchedSource extends Source {
  /** Whether bytes have arrived that have not been read. */
  hasUnread(): boolean;
  cancel(): Promise<void>;
}

function sourceOf(
  stream: ReadableStream<Uint8Array>,
  { onBytes, onEnd }: { onBytes(): void; onEnd(): void },
): WatchedSource {
  const reader = stream.getReader();
  let unread: Uint8Array = new Uint8Array();
  let hasArrived = false;
  let next = readAhead();

  async function readAhead(): Promise<Uint8Array | undefined> {
    const { value } = await reader.read().catch(() => ({ value: undefined }));
    hasArrived = value !== undefined;
    (hasArrived ? onBytes : onEnd)();
    return value;
  }

  return {
    async read(bytes) {
      if (unread.length === 0) {
        const value = await next;
        if (value === undefined) return null;
        [unread, hasArrived, next] = [value, false, readAhead()];
      }
      const part = unread.subarray(0, bytes.length);
      bytes.set(part);
      unread = unread.subarray(part.length);
      return part.length;
    },
    hasUnread: () => unread.length > 0 || hasArrived,
    cancel: () => reader.cancel().catch(() => {}),
  };
}
