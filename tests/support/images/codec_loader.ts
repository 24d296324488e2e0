import "../../../lib/images/webp_codec.ts";

/** Runs in a worker: loads the codec and says so. */
(globalThis as unknown as { postMessage(message: string): void }).postMessage("loaded");
