import { FAMILIES, type FamilyKey, type Values } from "./families.ts";

/** The values of one isolate. */
export interface IsolateValues {
  /** Its number. An isolate that fails is replaced by one with the same number. */
  isolate: number;
  /** Identifies it among those with its number. */
  id: string;
  values: Values;
}

/**
 * Adds up the values of isolates. A sum of counters must not decrease, or Prometheus would take it for a restart and
 * count everything again. So what an isolate counted stays when it is too busy to answer, and after it has ended.
 */
export class IsolateSum {
  #former: Values = {};
  readonly #latest = new Map<number, IsolateValues>();

  /** Adds up the new values of the isolates that answered, and the last known counts of the others. */
  add(answers: IsolateValues[]): Values {
    for (const answer of answers) {
      const previous = this.#latest.get(answer.isolate);
      if (previous !== undefined && previous.id !== answer.id) {
        this.#former = sum(this.#former, counted(previous.values));
      }
      this.#latest.set(answer.isolate, answer);
    }
    const parts = [...this.#latest.values()].map((latest) =>
      answers.includes(latest) ? latest.values : counted(latest.values)
    );
    return parts.reduce(sum, this.#former);
  }
}

/** Leaves out what is true only at one moment. */
function counted(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([key]) => FAMILIES[key as FamilyKey].kind !== "gauge"));
}

/** Adds up values with the same labels. */
export function sum(left: Values, right: Values): Values {
  const total: Values = { ...left };
  for (const [key, series] of Object.entries(right) as [FamilyKey, Record<string, number[]>][]) {
    const added = { ...total[key] };
    for (const [labels, values] of Object.entries(series)) {
      const known = added[labels];
      added[labels] = known === undefined ? values : values.map((value, i) => value + known[i]);
    }
    total[key] = added;
  }
  return total;
}
