import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { drainable } from "./drain.ts";

const info = {
  remoteAddr: { transport: "tcp", hostname: "192.0.2.1", port: 1 },
  completed: Promise.resolve(),
} as const;
const get = () => new Request("http://foyer.test/");
const post = () => new Request("http://foyer.test/", { method: "POST", body: "x" });

/** Tells in which order things happened. */
function story() {
  const events: string[] = [];
  const tell = <T>(event: string, promise: Promise<T>) => promise.then(() => void events.push(event));
  return { events, tell };
}

Deno.test("draining waits for bodies, then stops, and only then answers", async () => {
  const body = Promise.withResolvers<Response>();
  const { handler, drain } = drainable((req) => req.body === null ? Promise.resolve(new Response("ok")) : body.promise);
  strictEqual((await handler(get(), info)).headers.get("Connection"), null);

  const { events, tell } = story();
  const running = handler(post(), info);
  const drained = drain(() => tell("stopped", Promise.resolve()));
  const answers = [tell("post answered", running), tell("get answered", handler(get(), info))];
  body.resolve(new Response("done"));
  await Promise.all([drained, ...answers]);
  deepStrictEqual([events[0], events.length], ["stopped", 3]);
  strictEqual((await running).headers.get("Connection"), "close");
  strictEqual(await (await running).text(), "done");
});

Deno.test("a process that was not let run for a while does not take that for quiet", async () => {
  const { events, tell } = story();
  const { handler, drain } = drainable(() => tell("came", Promise.resolve()).then(() => new Response("ok")));
  const drained = drain(() => tell("stopped", Promise.resolve()));
  const isLetRunAt = performance.now() + 300;
  while (performance.now() < isLetRunAt);
  // Whoever came meanwhile is heard of a little later than the time.
  const answer = new Promise((resolve) => setTimeout(resolve, 20)).then(() => handler(get(), info));
  await Promise.all([drained, answer]);
  deepStrictEqual(events, ["came", "stopped"]);
});

Deno.test("where a body takes long, whoever comes after a second gets 503", async () => {
  const body = Promise.withResolvers<Response>();
  const { handler, drain } = drainable((req) => req.body === null ? Promise.resolve(new Response("ok")) : body.promise);
  const { events, tell } = story();
  const running = handler(post(), info);
  const drained = drain(() => tell("stopped", Promise.resolve()));
  strictEqual((await handler(get(), info)).status, 200); // held back for a second
  await new Promise((resolve) => setTimeout(resolve, 100));
  deepStrictEqual(events, []);
  const refused = handler(post(), info);
  body.resolve(new Response("done"));
  await drained;
  strictEqual((await running).status, 200);
  strictEqual((await refused).status, 503);
  strictEqual((await refused).headers.get("Retry-After"), "1");
  strictEqual((await refused).headers.get("Connection"), "close");
});
