import { ok, strictEqual } from "node:assert/strict";

/** One line of a scrape. */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** A metric with its samples. */
export interface ParsedFamily {
  name: string;
  help: string;
  kind: string;
  samples: Sample[];
}

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\\\|\\"|\\n)*)"(?:,|$)/y;

/**
 * Parses the text format of Prometheus, and checks what it and OpenMetrics require: each metric once, with HELP and
 * TYPE before its samples; names in base units; each sample once; histograms that add up.
 */
export function parseMetrics(text: string): ParsedFamily[] {
  ok(text.endsWith("\n"), "the last line must end");
  const families: ParsedFamily[] = [];
  const seen = new Set<string>();
  for (const line of text.split("\n").slice(0, -1)) {
    const [, keyword, name, rest] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (keyword === "HELP") families.push({ name, help: rest, kind: "", samples: [] });
    const family = families.at(-1);
    ok(family !== undefined, `before the first HELP: ${line}`);
    if (keyword === "HELP") continue;
    if (keyword === "TYPE") {
      strictEqual(name, family.name);
      strictEqual(family.kind, "");
      family.kind = rest;
      continue;
    }
    strictEqual(seen.has(line.slice(0, line.lastIndexOf(" "))), false, `twice: ${line}`);
    seen.add(line.slice(0, line.lastIndexOf(" ")));
    family.samples.push(parseSample(line, family));
  }
  strictEqual(new Set(families.map(({ name }) => name)).size, families.length, "a metric comes twice");
  families.forEach(checkFamily);
  return families;
}

function parseSample(line: string, { name: family, kind }: ParsedFamily): Sample {
  const [, name, inside = "", number] = SAMPLE.exec(line) ?? [];
  ok(name !== undefined, `not a sample: ${line}`);
  const suffixes = kind === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
  ok(suffixes.some((suffix) => name === family + suffix), `${name} is not in ${family}`);
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < inside.length) {
    const [, label, value] = LABEL.exec(inside) ?? [];
    ok(label !== undefined && !(label in labels), `wrong labels: ${line}`);
    labels[label] = JSON.parse(`"${value}"`);
  }
  const value = number === "+Inf" ? Infinity : Number(number);
  ok(!Number.isNaN(value), `not a number: ${line}`);
  return { name, labels, value };
}

function checkFamily({ name, kind, samples }: ParsedFamily): void {
  ok(/^[a-z][a-z0-9_]*[a-z0-9]$/.test(name), name);
  ok(["counter", "gauge", "histogram"].includes(kind), `${name} has the type ${kind}`);
  strictEqual(name.endsWith("_total"), kind === "counter", `${name} is a ${kind}`);
  ok(!/milliseconds|_ms_|_ms$|kilobytes|megabytes|minutes/.test(name), `${name} has no base unit`);
  ok(samples.length > 0, `${name} has no samples`);
  if (kind === "histogram") checkHistogram(name, samples);
  if (kind === "counter") ok(samples.every(({ value }) => value >= 0 && Number.isInteger(value)), name);
}

function checkHistogram(name: string, samples: Sample[]): void {
  const series = Map.groupBy(samples, ({ labels: { le: _, ...others } }) => JSON.stringify(others));
  for (const [labels, group] of series) {
    const buckets = group.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels: { le } }) => le === "+Inf" ? Infinity : Number(le));
    ok(bounds.every((bound, i) => i === 0 || bound > bounds[i - 1]), `${name} ${labels}: ${bounds}`);
    ok(buckets.every(({ value }, i) => i === 0 || value >= buckets[i - 1].value), `${name} ${labels} decreases`);
    strictEqual(bounds.at(-1), Infinity);
    strictEqual(group.filter((sample) => sample.name === `${name}_sum`).length, 1);
    strictEqual(group.find((sample) => sample.name === `${name}_count`)?.value, buckets.at(-1)!.value);
  }
}

/** Returns the sum of the samples with these labels. */
export function sumOf(families: ParsedFamily[], name: string, labels: Record<string, string> = {}): number {
  const samples = families.flatMap((family) => family.samples).filter((sample) =>
    sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value)
  );
  return samples.reduce((sum, { value }) => sum + value, 0);
}
