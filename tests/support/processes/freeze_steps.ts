/**
 * Preloaded into an app, this freezes requests. A request with the header `Freeze-At: n` stops for good before its n-th
 * step, as if the process were killed there: its files stay open, its locks and transactions stay held. Then the test
 * kills the process, which is so killed at every step of a request at once. A step is a query, a request to the bucket
 * or a change of a file.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import pg from "pg";
import { FREEZE_AT, FROZEN } from "./frozen_requests.ts";

/** More than requests are frozen in a transaction. */
const CONNECTIONS = 150;

interface Run {
  stepsLeft: number;
  respondFrozen(): void;
}

const runs = new AsyncLocalStorage<Run>();

const { open } = Deno;
const { write } = Deno.FsFile.prototype;

useOwnLocks();
freezeBefore(Deno, ["open", "mkdir", "rename", "remove"]);
freezeBefore(Deno.FsFile.prototype, ["write", "sync", "utime", "tryLock"]);
freezeBefore(globalThis, ["fetch"]);
exemptConverters();
replacePool();
exemptPipeline();
readHeader();

// deno-lint-ignore no-explicit-any
type Methods<Name extends string> = Record<Name, (...parameters: any[]) => any>;

/** Makes each call of these methods a step. */
function freezeBefore<Name extends string>(target: Methods<Name>, names: Name[]): void {
  for (const name of names) {
    const method = target[name];
    target[name] = function (this: unknown, ...parameters: unknown[]) {
      const run = runs.getStore();
      if (run === undefined) return method.apply(this, parameters);
      return run.stepsLeft-- > 0 ? method.apply(this, parameters) : freeze(run);
    };
  }
}

/** Objects share locks, so a frozen request would hold up others by chance. */
function useOwnLocks(): void {
  Deno.open = (path, options) =>
    open(`${path}`.includes("/.locks/") ? `${path}-${crypto.randomUUID()}` : path, options);
}

/** A request that hands an image over holds a place of the converters. Frozen there, it would hold up all others. */
function exemptConverters(): void {
  const { open: freezableOpen } = Deno;
  Deno.open = async (path, options) =>
    `${path}`.includes("/foyer-converters-")
      ? Object.assign(await open(path, options), { write })
      : await freezableOpen(path, options);
}

function freeze({ respondFrozen }: Run): Promise<never> {
  respondFrozen();
  return new Promise(() => {});
}

/** The app watches its own queries for a server that does not respond, so they are frozen before they reach it. */
function replacePool(): void {
  const { Pool } = pg;
  const frozenClients = new WeakSet<pg.PoolClient>();
  Object.assign(pg, {
    Pool: class extends Pool {
      constructor(config?: pg.PoolConfig) {
        super({ ...config, max: CONNECTIONS });
      }
      override async connect(): Promise<never> {
        const client = await super.connect();
        if (!frozenClients.has(client)) freezeBefore(client, ["query"]);
        frozenClients.add(client);
        return client as never;
      }
    },
  });
}

/**
 * The pipeline sends the queries of several requests as part of the first one, so that its end would hold up the
 * others. Uploads only read there: a kill before a read leaves the same as a kill after the step before it.
 */
function exemptPipeline(): void {
  const { setImmediate } = globalThis;
  const endless = { stepsLeft: Infinity, respondFrozen() {} };
  Object.assign(globalThis, { setImmediate: (run: () => void) => setImmediate(() => runs.run(endless, run)) });
}

function readHeader(): void {
  const { serve } = Deno;
  const serveFreezable = (options: Deno.ServeTcpOptions, handler: Deno.ServeHandler) =>
    serve(options, async (request, info) => {
      const step = request.headers.get(FREEZE_AT) ?? Infinity;
      const { promise: frozen, resolve } = Promise.withResolvers<Response>();
      // Each request gets a run. Without one, it would run as part of a frozen request, because of an error in Deno.
      const run = { stepsLeft: Number(step), respondFrozen: () => resolve(new Response(null, { status: FROZEN })) };
      return await Promise.race([runs.run(run, () => handler(request, info)), frozen]);
    });
  Deno.serve = serveFreezable as typeof serve;
}
