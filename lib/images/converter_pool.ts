import { concurrencyLimit } from "../turns/concurrency_limit.ts";
import { SECOND_MS } from "../duration.ts";

/** What the pool lends. */
export interface Lendable {
  /** Ends it. */
  close(): void;
  /** Whether it has ended. */
  isClosed(): boolean;
}

export interface ConverterPoolOptions<Converter> {
  /** Starts a converter. */
  open(): Converter;
  /** How many converters there may be. */
  max: number;
  /** How long one waits for the next task. Then it ends, and its memory is free. */
  idleSeconds: number;
}

/**
 * Lends converters to tasks. Once it is disposed of, idle converters end, others end after their task, and tasks that
 * wait are dropped.
 */
export interface ConverterPool<Converter> extends Disposable {
  /**
   * Runs a task with a converter of its own, as soon as one is free. The converter ends unless the task returns that it
   * may be used again.
   */
  lend(task: (converter: Converter) => Promise<boolean>): Promise<void>;
}

/** Creates a pool that starts converters when they are needed, and keeps them for the next tasks. */
export function converterPool<Converter extends Lendable>(
  { open, max, idleSeconds }: ConverterPoolOptions<Converter>,
): ConverterPool<Converter> {
  const idle: { converter: Converter; timer: ReturnType<typeof setTimeout> }[] = [];
  const limited = concurrencyLimit(max);
  let isOver = false;

  function take(): Converter {
    for (let last = idle.pop(); last; last = idle.pop()) {
      clearTimeout(last.timer);
      if (!last.converter.isClosed()) return last.converter;
    }
    return open();
  }

  function giveBack(converter: Converter) {
    if (isOver) return converter.close();
    idle.push({ converter, timer: setTimeout(endOldest, idleSeconds * SECOND_MS) });
  }

  /** The converter that has waited longest: timers fire in the order in which converters have been given back. */
  function endOldest() {
    const oldest = idle.shift();
    clearTimeout(oldest?.timer);
    oldest?.converter.close();
  }

  return {
    lend: (task) =>
      limited(async () => {
        if (isOver) return;
        const converter = take();
        let isReusable = false;
        try {
          isReusable = await task(converter);
        } finally {
          if (isReusable) giveBack(converter);
          else converter.close();
        }
      }),
    [Symbol.dispose]() {
      isOver = true;
      while (idle.length > 0) endOldest();
    },
  };
}
