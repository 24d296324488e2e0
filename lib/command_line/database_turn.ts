import { MINUTE_SECONDS, SECOND_MS } from "../duration.ts";
import type { Outcome } from "./run.ts";

/** How long a command waits for the embedded database. An export may take that long. */
const PATIENCE_MS = MINUTE_SECONDS * SECOND_MS;
/** After this time, it says for whom it waits. */
const NOTICE_MS = SECOND_MS;
const STEP_MS = 50;

/** What a command does while another process has the embedded database open. */
export interface DatabaseTurn {
  /** Pauses. Returns false if there is an outcome now. */
  wait(holder: string): Promise<boolean>;
  /** The answer of a service that has started meanwhile, or why it is no use to wait any longer. */
  outcome(): Outcome | undefined;
}

/**
 * Lets a command wait until it can open the embedded database, or until a service answers. The other process may be
 * another command, a service that starts, which has the database open before it listens, or one that stops.
 */
export function createDatabaseTurn(
  { ask, say, patienceMs = PATIENCE_MS, noticeMs = NOTICE_MS }: {
    ask(): Promise<Outcome | null>;
    say(text: string): void;
    patienceMs?: number;
    noticeMs?: number;
  },
): DatabaseTurn {
  const startedAt = performance.now();
  let [hasSaid, outcome]: [boolean, Outcome | undefined] = [false, undefined];
  return {
    async wait(holder) {
      await new Promise((resolve) => setTimeout(resolve, STEP_MS));
      const elapsedMs = performance.now() - startedAt;
      if (!hasSaid && elapsedMs >= noticeMs) {
        say(
          `Waiting for ${holder}, which has the embedded database open: another command, or a service that starts or stops`,
        );
        hasSaid = true;
      }
      outcome = await ask() ?? (elapsedMs < patienceMs ? undefined : gaveUp(holder, patienceMs));
      return outcome === undefined;
    },
    outcome: () => outcome,
  };
}

function gaveUp(holder: string, patienceMs: number): Outcome {
  return {
    failure:
      `Gave up after ${Math.round(patienceMs / SECOND_MS)} seconds: ${holder} still has the embedded database open, ` +
      "and no service answers in DATA_DIR. Wait until that process ends, or stop it",
  };
}
