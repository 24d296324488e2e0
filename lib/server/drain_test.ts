import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { drainable } from "./drain.ts";

const info = {
  remoteAddr: { transport: "tcp", hostname: "192.0.2.1", port: 1 },
  completed: Promise.resolve(),
} as const;
const get = () => new Request("http://foyer.test/");
const post = () => new Request("http://foyer.test/", { method: "POST", body: "x" });

/** Records the order in which promises resolve. */
function recordEvents() {
  const events: string[] = [];
  const record = <T>(event: string, promise: Promise<T>) => promise.then(() => void events.push(event));
  return { events, record };
}

Deno.test("draining waits for bodies, closes the listener and then releases responses", async () => {
  const body = Promise.withResolvers<Response>();
  const { handler, drain } = drainable((req) => req.body === null ? Promise.resolve(new Response("ok")) : body.promise);
  strictEqual((await handler(get(), info)).headers.get("Connection"), null);

  const { events, record } = recordEvents();
  const drained = drain(() => record("stopped", Promise.resolve()));
  const running = handler(post(), info);
  const answers = [record("post answered", running), record("get answered", handler(get(), info))];
  setTimeout(() => {
    events.push("body arrived");
    body.resolve(new Response("done"));
  }, 500);
  await Promise.all([drained, ...answers]);
  deepStrictEqual([events[0], events[1], events.length], ["body arrived", "stopped", 4]);
  strictEqual((await running).headers.get("Connection"), "close");
  strictEqual(await (await running).text(), "done");
});

Deno.test("a process that stalled does not count that time as quiet", async () => {
  const { events, record } = recordEvents();
  const { handler, drain } = drainable(() => record("request", Promise.resolve()).then(() => new Response("ok")));
  const drained = drain(() => record("stopped", Promise.resolve()));
  const resumesAt = performance.now() + 300;
  while (performance.now() < resumesAt);
  // A request that arrived during the stall is seen only after timers that are already due.
  const answer = new Promise((resolve) => setTimeout(resolve, 20)).then(() => handler(get(), info));
  await Promise.all([drained, answer]);
  deepStrictEqual(events, ["request", "stopped"]);
});

Deno.test("while a slow body arrives, requests with a body get 503 after the first second, and others are served", async () => {
  const body = Promise.withResolvers<Response>();
  const { handler, drain } = drainable((req) => req.body === null ? Promise.resolve(new Response("ok")) : body.promise);
  const { events, record } = recordEvents();
  const running = handler(post(), info);
  const drained = drain(() => record("stopped", Promise.resolve()));
  const accepted = handler(post(), info);
  strictEqual((await handler(get(), info)).status, 200); // held for a second
  await new Promise((resolve) => setTimeout(resolve, 100));
  deepStrictEqual(events, []);
  const refused = handler(post(), info);
  const served = handler(get(), info);
  body.resolve(new Response("done"));
  await drained;
  deepStrictEqual([(await running).status, (await accepted).status], [200, 200]);
  strictEqual((await served).status, 200);
  strictEqual((await refused).status, 503);
  strictEqual((await refused).headers.get("Retry-After"), "1");
  strictEqual((await refused).headers.get("Connection"), "close");
});
