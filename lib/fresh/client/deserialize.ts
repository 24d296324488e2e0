import { computed, signal } from "@preact/signals";

/** Content the server rendered for an island, by its number. */
export class Slot {
  constructor(readonly id: number) {}
}

/** Values without a place in the list; the writer has the same. -7 is a missing item of an array. */
const CONSTANTS = [undefined, null, NaN, Infinity, -Infinity, -0];
const HOLE = -7;

type Typed = [type: string, content: unknown, extra?: string];
type Entry = string | number | boolean | Typed | number[] | Record<string, number>;
type Read = (index: number) => unknown;

/**
 * Reads what `serialize` of the server wrote. Objects are made before their contents are read, so that contents can
 * point back to them.
 */
export function deserialize(json: string): unknown {
  const list: Entry[] | number = JSON.parse(json);
  if (typeof list === "number") return CONSTANTS[-1 - list];
  const made = new Map<number, unknown>();
  const read: Read = (index) => {
    if (index < 0) return CONSTANTS[-1 - index];
    if (!made.has(index)) {
      const [value, fill] = make(list[index], read);
      made.set(index, value);
      fill?.();
    }
    return made.get(index);
  };
  return read(0);
}

/** Makes a value, with a function that fills it where it holds others. */
function make(entry: Entry, read: Read): [value: unknown, fill?: () => void] {
  if (typeof entry !== "object") return [entry];
  if (isTyped(entry)) return makeTyped(entry, read);
  if (Array.isArray(entry)) {
    const items = new Array(entry.length);
    return [items, () => entry.forEach((index, i) => index !== HOLE && (items[i] = read(index)))];
  }
  const record: Record<string, unknown> = {};
  return [record, () => {
    for (const key of Object.keys(entry)) {
      // Assigned, it would replace the prototype.
      if (key !== "__proto__") record[key] = read(entry[key]);
    }
  }];
}

function isTyped(entry: object): entry is Typed {
  return Array.isArray(entry) && typeof entry[0] === "string";
}

function makeTyped([type, content, extra]: Typed, read: Read): [value: unknown, fill?: () => void] {
  const indexes = content as number[];
  if (type === "Signal") {
    const made = signal<unknown>();
    return [made, () => made.value = read(content as number)];
  }
  if (type === "Computed") return [computed(() => read(content as number))];
  if (type === "Set") {
    const set = new Set();
    return [set, () => indexes.forEach((index) => set.add(read(index)))];
  }
  if (type === "Map") {
    const map = new Map();
    return [map, () => indexes.forEach((key, i) => i % 2 || map.set(read(key), read(indexes[i + 1])))];
  }
  return [makeScalar(type, content as string, extra)];
}

function makeScalar(type: string, content: string, extra?: string): unknown {
  if (type === "Slot") return new Slot(Number(content));
  if (type === "BigInt") return BigInt(content);
  if (type === "URL") return new URL(content);
  if (type === "Date") return new Date(content ?? NaN);
  if (type === "RegExp") return new RegExp(content, extra);
  if (type === "Uint8Array") return Uint8Array.from(atob(content), (char) => char.charCodeAt(0));
  return Temporal[type.slice("Temporal.".length) as "Instant"].from(content);
}
