import type { BcryptTask } from "./bcrypt_worker.ts";
import { MINUTE_SECONDS, SECOND_MS } from "../duration.ts";

/** How long a thread waits for the next task. Then its memory is free again. */
const IDLE_MS = MINUTE_SECONDS * SECOND_MS;

/** A thread that waits. Most services never have one. */
interface IdleThread {
  worker: Worker;
  timer: ReturnType<typeof setTimeout>;
}

const idle: IdleThread[] = [];

/**
 * Computes a bcrypt hash on another thread. The caller limits how many run at once.
 *
 * @returns 23 bytes.
 */
export async function bcrypt(task: BcryptTask): Promise<Uint8Array> {
  const worker = takeIdle() ?? new Worker(new URL("./bcrypt_worker.ts", import.meta.url), { type: "module" });
  try {
    const hash = await answerOf(worker, task);
    keepIdle(worker);
    return hash;
  } catch (error) {
    worker.terminate();
    throw error;
  }
}

function answerOf(worker: Worker, task: BcryptTask): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new Error(`Cannot compute a bcrypt hash: ${event.message}`));
    };
    worker.postMessage(task);
  });
}

function takeIdle(): Worker | undefined {
  const thread = idle.pop();
  clearTimeout(thread?.timer);
  return thread?.worker;
}

function keepIdle(worker: Worker): void {
  const timer = setTimeout(() => {
    idle.splice(idle.findIndex((each) => each.worker === worker), 1);
    worker.terminate();
  }, IDLE_MS);
  timer.unref();
  idle.push({ worker, timer });
}
