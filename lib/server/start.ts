/**
 * `deno task start`: serves the built app until a signal, then drains. This module runs in every isolate; the first one
 * starts the others.
 */
import { prepareSigningKeys } from "../access/signing_keys.ts";
import { listTakenOver } from "../clients/registrations.ts";
import { prepareGroups } from "../groups/group.ts";
import { errorFields } from "../log/log.ts";
import { startBackground } from "../jobs/background.ts";
import { registerInstance } from "../jobs/instances.ts";
import { announce } from "./announce.ts";
import { openAuditSink } from "./audit_sink.ts";
import { listenForCommands } from "./command_socket.ts";
import { drainable } from "./drain.ts";
import { failToStart } from "./fail_to_start.ts";
import type { Services } from "../services/services.ts";
import { isFirstIsolate, runIsolates, stopSignal, stopWithoutLauncher } from "../start/isolates.ts";
import { launcherEnd } from "./launcher_end.ts";
import { startMetrics } from "./monitoring/start_metrics.ts";
import { type Handler, outerHandler } from "./outer_handler.ts";
import { serve } from "./serve.ts";

/**
 * The embedded database runs one query at a time, so the first queries of the workers would delay the first requests.
 */
const BACKGROUND_DELAY_MS = 100;

try {
  await start();
} catch (error) {
  await failToStart(error);
}

async function start() {
  // Dynamic, so that an error in main.ts is reported like any other.
  const [{ database, clock, services }, app] = await Promise.all([import("../../main.ts"), importBuild()]);
  const { config, log } = services;
  const { handler, drain } = drainable(app);
  const auditSink = isFirstIsolate && config.auditLog !== undefined ? await openAuditSink(config.auditLog) : undefined;
  // Before the other isolates start, too.
  if (isFirstIsolate) {
    await Promise.all([prepareSigningKeys(services), prepareGroups(services), warnOfTakenOver(services)]);
  }
  const metrics = startMetrics(services, database);
  const instance = isFirstIsolate ? await registerInstance(services) : undefined;
  const signal = stopSignal(log);
  if (isFirstIsolate && config.converterFolder !== undefined) {
    void launcherEnd(config.converterFolder).then(
      () => stopWithoutLauncher(log),
      (error) => log("warn", "the launcher cannot be watched", errorFields(error)),
    );
  }
  const commands = isFirstIsolate ? await listenForCommands(services) : undefined;
  let background: { stop(): Promise<void> } | undefined;
  let backgroundTimer: ReturnType<typeof setTimeout> | undefined;
  const otherIsolates = isFirstIsolate ? config.isolates - 1 : 0;
  await serve(outerHandler(services, handler), {
    port: config.port,
    hostname: config.host,
    reusePort: config.isolates > 1,
    signal,
    others: runIsolates(otherIsolates, { module: import.meta.url, log, signal }),
    log,
    drain,
    onListen() {
      void announce(services);
      backgroundTimer ??= setTimeout(
        () => background = startBackground(services, { database, clock, instance, auditSink }),
        BACKGROUND_DELAY_MS,
      );
    },
    async close() {
      clearTimeout(backgroundTimer);
      await Promise.all([background?.stop(), commands?.[Symbol.asyncDispose](), metrics[Symbol.asyncDispose]()]);
      await instance?.leave().catch((error) => log("warn", "could not sign off", errorFields(error)));
      await database.close();
    },
  });
}

/** An operator may not know that an admin has made an app with this id. */
async function warnOfTakenOver(services: Services): Promise<void> {
  const clients = await listTakenOver(services);
  if (clients.length > 0) services.log("warn", "CLIENTS_FILE replaces apps made in the browser", { clients });
}

/** Imports `_fresh/server.js`, which imports main.ts and adds the build to its app. */
async function importBuild(): Promise<Handler> {
  // Not a literal, because the type checker would look for a file that only the build creates.
  const url = import.meta.resolve("../../_fresh/server.js");
  return (await import(url)).default.fetch;
}
