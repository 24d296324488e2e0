import { MINUTE_SECONDS, SECOND_MS } from "../duration.ts";
import type { Services } from "../services/services.ts";

/** How far the clocks of a machine and of the database may be apart: codes work for a minute. */
export const CLOCK_TOLERANCE_SECONDS = 30;
/** How often they are compared. */
export const CLOCK_PAUSE_SECONDS = MINUTE_SECONDS;

type ClockServices = Pick<Services, "db" | "now" | "databaseTime">;

/** A smaller difference is left alone: measuring it is not more precise, and time would jump each minute. */
const STEP_MS = SECOND_MS;

/**
 * The clock that all instances share: that of the database, as far as this machine knows it. What one instance has
 * written, such as when a code expires, another one compares with its own time.
 */
export interface SharedClock {
  now(): Date;
  /** Moves it forward, for the tests of a product. */
  forward(milliseconds: number): void;
  /** Compares the clock of this machine with the database's. Logs an error if it is too far off and `log` is given. */
  adjust(services: Omit<ClockServices, "now"> & Partial<Pick<Services, "log">>): Promise<void>;
}

/** Creates a clock, which is that of the machine until it is adjusted. */
export function createSharedClock(machineTime: () => Date = () => new Date()): SharedClock {
  let aheadMs = 0;
  let forwardMs = 0;
  return {
    now: () => new Date(machineTime().getTime() - aheadMs + forwardMs),
    forward(milliseconds) {
      forwardMs += milliseconds;
    },
    async adjust({ log, ...services }) {
      const measuredMs = await millisecondsAhead({ ...services, now: machineTime });
      if (Math.abs(measuredMs - aheadMs) >= STEP_MS) aheadMs = measuredMs;
      const problem = clockProblem(Math.round(measuredMs / SECOND_MS));
      if (problem !== null) log?.("error", problem);
    },
  };
}

/** Returns by how many whole seconds the clock of this machine is ahead of the database's, negative if it is behind. */
export async function secondsAhead(services: ClockServices): Promise<number> {
  return Math.round(await millisecondsAhead(services) / SECOND_MS);
}

async function millisecondsAhead({ db, now, databaseTime }: ClockServices): Promise<number> {
  const sentAt = now().getTime();
  const { time } = await db.selectNoFrom(databaseTime().as("time")).executeTakeFirstOrThrow();
  return (sentAt + now().getTime()) / 2 - time.getTime();
}

/** Returns what is wrong with a clock that is too far from the database's; null if nothing is. */
export function clockProblem(seconds: number): string | null {
  if (Math.abs(seconds) <= CLOCK_TOLERANCE_SECONDS) return null;
  const difference = `${Math.abs(seconds)} seconds ${seconds > 0 ? "ahead of" : "behind"}`;
  return `the clock of this machine is ${difference} that of the database: set both by NTP. Until then, this instance ` +
    "goes by the database's clock, but not in its log, and links and tokens that other programs check may expire at " +
    "once or too late";
}
