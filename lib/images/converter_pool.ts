import { SECOND_MS } from "../duration.ts";
import { AppError } from "../errors.ts";
import type { Converter } from "./converter_connection.ts";

export interface ConverterPoolOptions {
  /** Starts a converter. */
  open(): Promise<Converter>;
  /** How many converters may wait for the next task. */
  maxIdle: number;
  /** How long they wait. Then they end, and their memory is free. */
  idleSeconds: number;
}

/** Lends converters to tasks. */
export interface ConverterPool {
  /** Runs a task with a converter of its own. The converter ends if the task fails, unless with an {@linkcode AppError}. */
  lend<T>(task: (converter: Converter) => Promise<T>): Promise<T>;
}

/** Creates a pool that starts converters when they are needed, and keeps some for the next tasks. */
export function converterPool({ open, maxIdle, idleSeconds }: ConverterPoolOptions): ConverterPool {
  const idle: { converter: Converter; timer: ReturnType<typeof setTimeout> }[] = [];

  async function take(): Promise<Converter> {
    for (let last = idle.pop(); last; last = idle.pop()) {
      clearTimeout(last.timer);
      if (!last.converter.isClosed()) return last.converter;
    }
    return await open();
  }

  function giveBack(converter: Converter) {
    if (idle.length >= maxIdle) return converter.close();
    idle.push({ converter, timer: setTimeout(endOldest, idleSeconds * SECOND_MS) });
  }

  /** The converter that has waited longest: timers fire in the order in which converters have been given back. */
  function endOldest() {
    idle.shift()?.converter.close();
  }

  return {
    async lend(task) {
      const converter = await take();
      try {
        return await task(converter);
      } catch (error) {
        if (!(error instanceof AppError)) converter.close();
        throw error;
      } finally {
        giveBack(converter);
      }
    },
  };
}
