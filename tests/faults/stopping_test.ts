import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { PASSWORD } from "../support/app/accounts.ts";
import { type AppProcess, buildApp, startApp } from "../support/processes/app_process.ts";
import { withFolder } from "../support/database/engines.ts";
import { keepAliveClient, type Outcome } from "../support/processes/keep_alive_client.ts";
import { waitFor } from "../support/wait_for.ts";

const END_MS = 10_000;
const CLIENTS = 12;
const READ_PATHS = ["/api/users", "/login", "/api/health"];
await buildApp();

/** Stops the app with SIGTERM, and returns how long that took. */
async function stop(app: AppProcess): Promise<number> {
  const startedAt = performance.now();
  app.kill("SIGTERM");
  strictEqual(await app.ended, 0);
  match(app.output(), /"stopped"/);
  return performance.now() - startedAt;
}

/** Sends the start of a registration. Its end is sent by `finish`. */
async function beginRegistration(app: AppProcess, email: string) {
  const body = JSON.stringify({ name: "Slow", email, password: PASSWORD });
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const answer = fetch(`${app.url}/auth/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: readable,
  });
  await writer.write(new TextEncoder().encode(body.slice(0, 10)));
  // When another request has been answered, the first one has arrived too.
  await (await fetch(`${app.url}/api/health`)).body?.cancel();
  return {
    answer,
    async finish() {
      await writer.write(new TextEncoder().encode(body.slice(10)));
      await writer.close();
    },
  };
}

interface Load {
  outcomes: Outcome[];
  /** Addresses whose registration was acknowledged. */
  registered: string[];
  /** Resolves when connections are refused. */
  over: Promise<unknown>;
}

/** Sends reads and registrations without pauses. Each client keeps its connection as long as the server does. */
function startLoad(app: AppProcess): Load {
  const outcomes: Outcome[] = [];
  const registered: string[] = [];
  const over = Array.from({ length: CLIENTS }, async (_, number) => {
    const client = keepAliveClient(app.url);
    for (let turn = 0; outcomes.at(-1)?.kind !== "refused" || turn === 0; turn++) {
      const email = `load${number}.${turn}@example.com`;
      const isWrite = number % 2 === 0;
      const outcome = isWrite
        ? await client.send("POST", "/auth/register", { name: "Load", email, password: PASSWORD })
        : await client.send("GET", READ_PATHS[turn % READ_PATHS.length]);
      outcomes.push(outcome);
      if (isWrite && outcome.kind === "answered" && outcome.status === 201) registered.push(email);
    }
    client.close();
  });
  return { outcomes, registered, over: Promise.all(over) };
}

async function emailsIn(folder: string): Promise<string[]> {
  await using app = await startApp({ dataDir: folder });
  const { data } = await (await fetch(`${app.url}/api/users?limit=500`)).json();
  return data.map(({ email }: { email: string }) => email).sort();
}

const endsOf = (outcomes: Outcome[]) =>
  outcomes.filter((outcome) => outcome.kind === "answered" && /^connection: close/im.test(outcome.head)).length;
const statusesOf = (outcomes: Outcome[]) =>
  [...new Set(outcomes.flatMap((outcome) => outcome.kind === "answered" ? [outcome.status] : []))].sort();

Deno.test("on SIGTERM under load, every request is answered and its result is kept", () =>
  withFolder(async (folder) => {
    const { outcomes, registered, over } = await (async () => {
      await using app = await startApp({ dataDir: folder });
      const load = startLoad(app);
      await waitFor("load", () => load.outcomes.length >= 10 * CLIENTS && load.registered.length >= CLIENTS);
      ok(await stop(app) < END_MS);
      return load;
    })();
    await over;
    deepStrictEqual(outcomes.filter(({ kind }) => kind === "lost"), []);
    // 503 if the machine is so busy that running requests take more than a second.
    deepStrictEqual(statusesOf(outcomes).filter((status) => status !== 503), [200, 201]);
    ok(endsOf(outcomes) > 0, "no response announced the end of its connection");
    deepStrictEqual(await emailsIn(folder), registered.sort());
  }));

Deno.test("on SIGTERM under load, a body that is still arriving can finish, and new requests get 503", () =>
  withFolder(async (folder) => {
    await using app = await startApp({ dataDir: folder });
    const { outcomes, over } = startLoad(app);
    const slow = await beginRegistration(app, "slow@example.com");
    const stopping = stop(app);
    let isOver = false;
    void over.then(() => isOver = true);
    await waitFor("a 503", () => isOver || statusesOf(outcomes).includes(503));
    await slow.finish();
    const answer = await slow.answer;
    strictEqual(answer.status, 201);
    await answer.body?.cancel();
    ok(await stopping < END_MS);
    await over;
    deepStrictEqual(outcomes.filter(({ kind }) => kind === "lost"), []);
    deepStrictEqual(statusesOf(outcomes), [200, 201, 503]);
  }));

Deno.test("a sender that never finishes does not keep the process from exiting cleanly", () =>
  withFolder(async (folder) => {
    await using app = await startApp({ dataDir: folder });
    const client = keepAliveClient(app.url);
    const { answer } = await beginRegistration(app, "never@example.com");
    const broken = answer.then((response) => response.body?.cancel(), () => {});
    const stopping = stop(app);
    const kinds: Outcome["kind"][] = [];
    while (kinds.at(-1) !== "refused") kinds.push((await client.send("GET", "/api/health")).kind);
    ok(!kinds.includes("lost"), "another client was cut off too");
    ok(await stopping < END_MS);
    await broken;
    client.close();
  }));
