import { median } from "../support/median.ts";

/** One line of the table: what was measured of both sides in turns. */
export interface Row {
  what: string;
  ours: number[];
  /** Nothing where the wish is an absolute one. */
  bare?: number[];
  unit: string;
  /** The ratio, or the figure, that is wished for: `>= 0.75`, `<= 150`. */
  wanted: string;
}

const ROUNDS = 7;

/** Measures both sides in turns, so that what else the machine does meets both. */
export async function inTurns(ours: () => Promise<number>, bare: () => Promise<number>, rounds = ROUNDS) {
  const result = { ours: [] as number[], bare: [] as number[] };
  await ours();
  await bare(); // warm
  for (let round = 0; round < rounds; round++) {
    result.ours.push(await ours());
    result.bare.push(await bare());
  }
  return result;
}

/** The rows as Markdown. */
export function table(rows: Row[]): string {
  const lines = rows.map((row) => {
    const [ours, bare] = [row.ours, row.bare].map((values) => values && spread(values, row.unit));
    const figure = row.bare ? ratio(row.ours, row.bare) : median(row.ours);
    return [row.what, ours, bare ?? "", row.bare ? figure.toFixed(2) : "", row.wanted, isMet(figure, row.wanted)];
  });
  const head = ["What", "Foyer", "Bare", "Ratio", "Wanted", ""];
  return [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** Of each turn by itself, then the median: what the machine does from one minute to the next meets both sides alike. */
function ratio(ours: number[], bare: number[]): number {
  return median(ours.map((value, turn) => value / bare[turn]));
}

function isMet(figure: number, wanted: string): string {
  const [sign, limit] = wanted.split(" ");
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
