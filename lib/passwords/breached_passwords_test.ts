import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { createHash } from "node:crypto";
import { createBreachedPasswords } from "./breached_passwords.ts";

const PASSWORD = "Correct-horse-7é";
const HASH = createHash("sha1").update(new TextEncoder().encode(PASSWORD)).digest("hex").toUpperCase();
const [PREFIX, SUFFIX] = [HASH.slice(0, 5), HASH.slice(5)];

type Respond = (request: Request) => Response | Promise<Response>;

Deno.test("a password is breached if the range lists the rest of its hash", async () => {
  const others = "0018A45C4D1DEF81644B54AB7F969B88D65:21\r\n";
  const cases: [range: string, breached: boolean][] = [
    [`${others}${SUFFIX}:3`, true],
    [`${SUFFIX.toLowerCase()}:1\n${others}`, true],
    [`${others}${SUFFIX}:0\r\n`, false], // padding
    [others, false],
    ["", false],
    [`${SUFFIX}0:5`, false],
    ["<html>Not a range</html>", false],
  ];
  for (const [range, breached] of cases) {
    strictEqual((await ask(() => new Response(range))).result, breached, range);
  }
});

Deno.test("the service learns only five digits of the hash, and is asked to pad its response", async () => {
  for (const path of ["/range", "/range/", "/range//"]) {
    const { requests: [request] } = await ask(() => new Response(""), path);
    strictEqual(new URL(request.url).pathname + new URL(request.url).search, `/range/${PREFIX}`);
    strictEqual(request.headers.get("Add-Padding"), "true");
    deepStrictEqual([request.method, request.body], ["GET", null]);
  }
});

Deno.test("an outage is an error that does not contain digits of the hash", async () => {
  const outages: Respond[] = [
    () => new Response("busy", { status: 503 }),
    () => new Response("A".repeat(2_000_000)),
    () => new Response(null, { status: 302, headers: { Location: "/elsewhere" } }),
    () => new Response(new ReadableStream({ start: (controller) => controller.error(new Error("torn")) })),
  ];
  for (const respond of outages) await rejects(ask(respond), (error: Error) => !String(error.stack).includes(PREFIX));
  const closed = createBreachedPasswords({ url: "http://127.0.0.1:1/range/" });
  await rejects(closed.includes(PASSWORD), { message: "Could not reach the service" });
});

Deno.test("a redirect is not followed", async () => {
  const paths: string[] = [];
  await rejects(ask((request) => {
    paths.push(new URL(request.url).pathname);
    return Response.redirect(new URL("/elsewhere", request.url));
  }));
  deepStrictEqual(paths, [`/range/${PREFIX}`]);
});

Deno.test("the service has two seconds, also for the body", async () => {
  let end!: () => void;
  const body = new ReadableStream({
    start: (controller) => end = () => controller.close(),
  });
  const startedAt = performance.now();
  await rejects(
    ask(() => new Response(body)).finally(() => {
      try {
        end();
      } catch {
        // The client has canceled the stream.
      }
    }),
    { message: "The service did not respond in time" },
  );
  const milliseconds = performance.now() - startedAt;
  ok(milliseconds > 1900 && milliseconds < 6000, `${milliseconds} ms`);
});

async function ask(respond: Respond, path = "/range/") {
  const requests: Request[] = [];
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {}, onError: () => new Response() },
    (request) => {
      requests.push(new Request(request.url, request));
      return respond(request);
    },
  );
  const passwords = createBreachedPasswords({ url: `http://127.0.0.1:${server.addr.port}${path}` });
  return { result: await passwords.includes(PASSWORD), requests };
}
