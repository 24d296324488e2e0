import { reseal, type SealedPlace } from "./sealed.ts";

/** What has been sealed again, and what could not be. */
export interface Resealed {
  count: number;
  /** Names of values that no secret opens. */
  unreadable: string[];
}

/** How to seal the values of rows again. */
export interface ResealOptions<Row> {
  nameOf(row: Row): string;
  /** Null if the row holds no value. */
  sealedOf(row: Row): string | null;
  placeOf(row: Row): SealedPlace;
  /** Stores the value, unless it has changed meanwhile. */
  store(row: Row, resealed: string): Promise<unknown>;
}

/** Seals again the values that a previous secret has sealed. Those of APP_SECRET stay as they are. */
export async function resealEach<Row>(
  rows: Iterable<Row>,
  { nameOf, sealedOf, placeOf, store }: ResealOptions<Row>,
): Promise<Resealed> {
  const result: Resealed = { count: 0, unreadable: [] };
  for (const row of rows) {
    const sealed = sealedOf(row);
    if (sealed === null) continue;
    try {
      const resealed = await reseal(sealed, placeOf(row));
      if (resealed === null) continue;
      await store(row, resealed);
      result.count++;
    } catch (error) {
      if (!(error instanceof DOMException) && !(error instanceof SyntaxError)) throw error;
      result.unreadable.push(nameOf(row));
    }
  }
  return result;
}

/** The sum of two results. */
export function sumOf(results: Resealed[]): Resealed {
  return {
    count: results.reduce((sum, { count }) => sum + count, 0),
    unreadable: results.flatMap(({ unreadable }) => unreadable),
  };
}
