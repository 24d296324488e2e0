import { tooBusy } from "../turns/concurrency_limit.ts";

/** Holders with more than this part of a total must leave room for others. */
const FAIR_PART = 1 / 16;
/** How much of a total may be taken while such holders take more. */
export const OPEN_PART = 3 / 4;
/** Credited to each new body, so that it is not the slowest before its first bytes arrive. */
const ADVANCE_BYTES = 64 * 1024;

/** What one body takes of a total, until it is disposed of. */
export interface BodyShare extends Disposable {
  /**
   * Counts bytes that have arrived.
   *
   * @throws {AppError} UNAVAILABLE if no room is left for them, or if the body has been ended.
   */
  receive(bytes: number): void;
  /** Whether it was ended to make room. It no longer takes any. */
  readonly isEnded: boolean;
  /** Stops the reading. Set only while the body is being read; at other times it is not ended. */
  stopReading: (() => void) | null;
}

/** Gives bodies their shares of a total. */
export interface Shares {
  /**
   * @param holders whose body it is, such as an address, its network and a user.
   * @throws {AppError} UNAVAILABLE if no room is left.
   */
  open(holders: string[]): BodyShare;
}

export interface SharesOptions {
  /** In bytes, or in bodies if each takes 1. */
  total: number;
  /** What each body takes from the start. */
  perBody: number;
  /** What the largest body takes. Without it, bytes do not count: each body takes as much as the others. */
  largest?: number;
  /** In milliseconds. */
  now?: () => number;
}

/**
 * Creates shares of a total for request bodies. Only what has arrived counts. A holder with more than a sixteenth fills
 * at most three quarters of the total, together with all others, so the rest is left for those with less. If there is
 * no room, the slowest body of a holder with more than a sixteenth ends, then the slowest of all.
 */
export function createShares({ total, perBody, largest, now = () => performance.now() }: SharesOptions): Shares {
  const fairPart = Math.max(total * FAIR_PART, largest ?? perBody);
  const sums = new Map<string, number>();
  const bodies = new Set<Body>();
  let taken = 0;

  class Body implements BodyShare {
    stopReading: (() => void) | null = null;
    isEnded = false;
    #taken = 0;
    #receivedBytes = 0;
    readonly #startedAt = now();

    constructor(readonly holders: string[]) {
      this.#take(perBody);
      bodies.add(this);
    }

    receive(bytes: number): void {
      if (this.isEnded) throw tooBusy();
      this.#receivedBytes += bytes;
      if (largest !== undefined) this.#take(bytes);
    }

    speed(at: number): number {
      return (ADVANCE_BYTES + this.#receivedBytes) / (at - this.#startedAt);
    }

    isOverFairPart(more = 0): boolean {
      return this.holders.some((holder) => (sums.get(holder) ?? 0) + more > fairPart);
    }

    end(): void {
      this[Symbol.dispose]();
      this.isEnded = true;
      this.stopReading?.();
    }

    #take(amount: number): void {
      while (!this.#isRoomFor(amount)) {
        const slowest = slowestOf((body) => body.isOverFairPart()) ??
          (this.isOverFairPart(amount) ? undefined : slowestOf(() => true));
        if (slowest === undefined || slowest === this) throw tooBusy();
        slowest.end();
      }
      this.#add(amount);
    }

    #isRoomFor(amount: number): boolean {
      return taken + amount <= (this.isOverFairPart(amount) ? total * OPEN_PART : total);
    }

    #add(amount: number): void {
      taken += amount;
      this.#taken += amount;
      for (const holder of this.holders) {
        const sum = (sums.get(holder) ?? 0) + amount;
        if (sum === 0) sums.delete(holder);
        else sums.set(holder, sum);
      }
    }

    [Symbol.dispose](): void {
      this.#add(-this.#taken);
      bodies.delete(this);
    }
  }

  /** Returns the slowest of those bodies that are being read. */
  function slowestOf(isCandidate: (body: Body) => boolean): Body | undefined {
    const at = now();
    let slowest: Body | undefined;
    let lowest = Infinity;
    for (const body of bodies) {
      if (body.stopReading === null || !isCandidate(body)) continue;
      const speed = body.speed(at);
      if (slowest !== undefined && speed >= lowest) continue;
      slowest = body;
      lowest = speed;
    }
    return slowest;
  }

  return { open: (holders) => new Body(holders) };
}
