import { strictEqual } from "node:assert/strict";
import { drainable } from "./drain.ts";

const info = {
  remoteAddr: { transport: "tcp", hostname: "192.0.2.1", port: 1 },
  completed: Promise.resolve(),
} as const;
const post = () => new Request("http://foyer.test/", { method: "POST", body: "x" });

Deno.test("draining waits for requests with a body and refuses new ones", async () => {
  const answer = Promise.withResolvers<Response>();
  const { handler, drain } = drainable((req) =>
    req.body === null ? Promise.resolve(new Response("ok")) : answer.promise
  );
  strictEqual((await handler(new Request("http://foyer.test/"), info)).status, 200);
  const running = handler(post(), info);
  let isDrained = false;
  const drained = drain().then(() => isDrained = true);
  const refused = await handler(post(), info);
  strictEqual(refused.status, 503);
  strictEqual(refused.headers.get("Retry-After"), "1");
  strictEqual((await handler(new Request("http://foyer.test/"), info)).status, 503);
  strictEqual(isDrained, false);
  answer.resolve(new Response("done"));
  strictEqual(await (await running).text(), "done");
  await drained;
});
