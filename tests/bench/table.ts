import { median } from "../support/median.ts";

/** One line of the table: the alternating measurements of both sides. */
export interface Row {
  what: string;
  ours: number[];
  /** Undefined if the target is absolute. */
  bare?: number[];
  unit: string;
  /** The target for the ratio or, if absolute, for the value: `>= 0.75`, `<= 150`. */
  target: string;
}

const ROUNDS = 7;

/** Measures both sides alternately, so that other work on the machine affects both. */
export async function inTurns(ours: () => Promise<number>, bare: () => Promise<number>, rounds = ROUNDS) {
  const result = { ours: [] as number[], bare: [] as number[] };
  await ours();
  await bare(); // warm-up
  for (let round = 0; round < rounds; round++) {
    result.ours.push(await ours());
    result.bare.push(await bare());
  }
  return result;
}

/** Formats the rows as a Markdown table. */
export function table(rows: Row[]): string {
  const lines = rows.map((row) => {
    const [ours, bare] = [row.ours, row.bare].map((values) => values && spread(values, row.unit));
    const figure = row.bare ? ratio(row.ours, row.bare) : median(row.ours);
    return [row.what, ours, bare ?? "", row.bare ? figure.toFixed(2) : "", row.target, isMet(figure, row.target)];
  });
  const head = ["What", "Foyer", "Bare", "Ratio", "Target", "Met"];
  return [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** Returns the median of the ratios of each round, because the speed of the machine varies between rounds. */
function ratio(ours: number[], bare: number[]): number {
  return median(ours.map((value, turn) => value / bare[turn]));
}

function isMet(figure: number, target: string): string {
  const [sign, limit] = target.split(" ");
  const rounded = Number(figure.toFixed(2));
  return (sign === ">=" ? rounded >= Number(limit) : rounded <= Number(limit)) ? "yes" : "no";
}

function spread(values: number[], unit: string): string {
  const [middle, low, high] = [median(values), Math.min(...values), Math.max(...values)].map(short);
  return values.length === 1 ? `${middle} ${unit}` : `${middle} ${unit} (${low} to ${high})`;
}

function short(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en-GB") : value.toFixed(value >= 10 ? 1 : 2);
}
