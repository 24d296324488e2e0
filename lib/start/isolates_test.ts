import { ok, strictEqual } from "node:assert/strict";
import { runIsolates } from "./isolates.ts";

/** Runs a module that appends a byte to a file at each start. Stops it after the wanted number of starts. */
async function startsUntil(wanted: number, code: string): Promise<number> {
  const file = await Deno.makeTempFile();
  const module = `data:application/javascript,${
    encodeURIComponent(`Deno.writeFileSync(${JSON.stringify(file)}, new Uint8Array(1), { append: true });${code}`)
  }`;
  const stopping = new AbortController();
  const ended = runIsolates(1, { module, log() {}, signal: stopping.signal });
  const starts = async () => (await Deno.stat(file)).size;
  const deadline = Date.now() + 20_000;
  while (await starts() < wanted && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
  stopping.abort();
  await ended;
  const count = await starts();
  await Deno.remove(file);
  return count;
}

const STOPS = `addEventListener("message", ({ data }) => { if (data === "stop") postMessage("stopped"); });`;

Deno.test("an isolate that fails or throws is restarted until the process stops", async () => {
  ok(await startsUntil(2, `postMessage("failed");`) >= 2);
  ok(await startsUntil(2, `throw new Error("no");`) >= 2);
});

Deno.test("an isolate that stops when asked is not restarted", async () => {
  strictEqual(await startsUntil(1, STOPS), 1);
});
