import { SECOND_MS } from "../../duration.ts";
import type { Metrics } from "../../metrics/metrics.ts";
import { prometheusText } from "../../metrics/prometheus_text.ts";
import type { Services } from "../../services/services.ts";
import { isFirstIsolate, isolateNumber } from "../../start/isolates.ts";
import { isolateValues, processValues, type UsedDatabase } from "./current_values.ts";
import { answerFirstIsolate, createCollector } from "./isolate_channel.ts";
import { serveMetrics } from "./metrics_server.ts";

/** How often the delay of the event loop is measured. */
const TICK_MS = SECOND_MS / 10;

/**
 * Collects the metrics of this isolate, if METRICS_PORT is set. The first isolate serves those of all.
 *
 * @throws {ConfigError} when it cannot listen on the address.
 */
export function startMetrics(services: Services, database: UsedDatabase): AsyncDisposable {
  const { config: { metrics: address, isolates }, log, metrics } = services;
  const stack = new AsyncDisposableStack();
  if (address === undefined) return stack;
  stack.use(watchEventLoop(metrics));
  const read = () => isolateValues(services, database);
  if (isFirstIsolate) {
    const collector = stack.use(createCollector(isolates - 1, read));
    const text = async () => {
      // One after the other, so that a scrape does not find its own queries on the connections.
      const all = await collector.collect();
      return prometheusText({ ...all, ...await processValues(services) });
    };
    stack.use(serveMetrics(address, text, log));
  } else {
    stack.use(answerFirstIsolate(isolateNumber, read));
  }
  return stack;
}

/** Measures how late a timer is. While the event loop is busy, requests are as late. */
function watchEventLoop(metrics: Metrics): Disposable {
  let dueAt = performance.now() + TICK_MS;
  const timer = setInterval(() => {
    const now = performance.now();
    metrics.observeEventLoop(Math.max(0, now - dueAt) / SECOND_MS);
    dueAt = now + TICK_MS;
  }, TICK_MS);
  Deno.unrefTimer(timer);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
