import { DAY_SECONDS } from "../../lib/duration.ts";
import type { Installation } from "./installation.ts";
import { planOf, type Step } from "./plan.ts";

const FROZEN_MS = { min: 500, max: 3000 };
/** Past the grace of refresh tokens, the life of codes, the window of logins, reset links, and sessions. */
const JUMPS_SECONDS = [70, 700, 1000, 3700, 8 * DAY_SECONDS];

const DISTURBANCES: Record<string, { weight: number; disturb(on: Installation, step: Step): Promise<void | number> }> =
  {
    "kill an instance": { weight: 3, disturb: (on, { instance }) => on.kill(instance) },
    "freeze an instance": {
      weight: 2,
      disturb: (on, { instance, pick }) => on.freeze(instance, FROZEN_MS.min + pick * (FROZEN_MS.max - FROZEN_MS.min)),
    },
    "restart the database": { weight: 1, disturb: (on) => on.restartDatabase("stop") },
    "kill the database": { weight: 1, disturb: (on) => on.restartDatabase("kill") },
    "move the clock": {
      weight: 3,
      async disturb(on, { pick }) {
        const seconds = JUMPS_SECONDS[Math.floor(pick * JUMPS_SECONDS.length)];
        await on.forward(seconds);
        return seconds;
      },
    },
  };

/** Draws what happens to the installation. */
export function disturbancePlan(seed: string, length: number): Step[] {
  const weights = Object.fromEntries(Object.entries(DISTURBANCES).map(([act, { weight }]) => [act, weight]));
  return planOf({ seed, actor: "disturbances", weights, length });
}

/** Does one of them. Returns how far the clock was moved, in seconds. */
export async function disturb(on: Installation, step: Step): Promise<number> {
  return await DISTURBANCES[step.act].disturb(on, step) ?? 0;
}
