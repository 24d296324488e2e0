import { FAMILIES, type Family, type FamilyKey, LABEL_SEPARATOR, type Values } from "./families.ts";

/** The content type of {@linkcode prometheusText}. Source: Prometheus, "Exposition formats". */
export const PROMETHEUS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Writes values in the text format of Prometheus. A metric without values is left out. */
export function prometheusText(values: Values): string {
  return Object.keys(FAMILIES).flatMap((key) => linesOf(FAMILIES[key as FamilyKey], values[key as FamilyKey])).join("");
}

function linesOf(family: Family, series: Record<string, number[]> = {}): string[] {
  const entries = Object.entries(series);
  if (entries.length === 0) return [];
  const { name, kind, help } = family;
  const lines = entries.flatMap(([labels, values]) => samplesOf(family, labelsOf(family, labels), values));
  return [`# HELP ${name} ${help}\n`, `# TYPE ${name} ${kind}\n`, ...lines];
}

function samplesOf({ name, kind, bounds = [] }: Family, labels: string[], values: number[]): string[] {
  if (kind !== "histogram") return [line(name, labels, values[0])];
  let count = 0;
  const buckets = [...bounds, "+Inf"].map((bound, i) => {
    count += values[i];
    return line(`${name}_bucket`, [...labels, `le="${bound}"`], count);
  });
  return [...buckets, line(`${name}_sum`, labels, values[bounds.length + 1]), line(`${name}_count`, labels, count)];
}

function line(name: string, labels: string[], value: number): string {
  return `${name}${labels.length === 0 ? "" : `{${labels.join(",")}}`} ${value}\n`;
}

function labelsOf({ labels = [] }: Family, values: string): string[] {
  if (labels.length === 0) return [];
  return values.split(LABEL_SEPARATOR).map((value, i) => `${labels[i]}="${escape(value)}"`);
}

function escape(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
}
