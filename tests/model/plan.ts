/** One step of someone in the model. It is drawn before anything is sent, so that it depends on the seed alone. */
export interface Step {
  act: string;
  /** The instance that gets the first request of the step. */
  instance: number;
  /** Whether the other instance gets the same request at the same time, if the act can be repeated so. */
  isTwice: boolean;
  /** Chooses among the credentials that someone has: from 0 to below 1. */
  pick: number;
}

const TWICE_SHARE = 0.4;

/** Draws the steps of someone. The same seed, name and weights give the same steps. */
export function planOf(
  { seed, actor, weights, length }: { seed: string; actor: string; weights: Record<string, number>; length: number },
): Step[] {
  const random = randomOf(`${seed} ${actor}`);
  const acts = Object.entries(weights).flatMap(([act, weight]) => Array<string>(weight).fill(act));
  return Array.from({ length }, () => ({
    act: acts[Math.floor(random() * acts.length)],
    instance: Math.floor(random() * 2),
    isTwice: random() < TWICE_SHARE,
    pick: random(),
  }));
}

/** Returns a source of numbers from 0 to below 1. Source: mulberry32, from a 32-bit FNV-1a hash of the seed. */
export function randomOf(seed: string): () => number {
  let state = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(seed)) state = Math.imul(state ^ byte, 0x01000193);
  return () => {
    state = state + 0x6d2b79f5 | 0;
    let mixed = Math.imul(state ^ state >>> 15, 1 | state);
    mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed;
    return ((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32;
  };
}
