import { computed, signal } from "@preact/signals";

/** A placeholder for server content passed to an island. */
export class Slot {
  constructor(readonly id: number) {}
}

/** Values with negative indexes. The server has the same list. -7 is a hole in an array. */
const CONSTANTS = [undefined, null, NaN, Infinity, -Infinity, -0];
const HOLE = -7;

type Typed = [type: string, content: unknown, extra?: string];
type Entry = string | number | boolean | Typed | number[] | Record<string, number>;
type Read = (index: number) => unknown;

/**
 * Reads the output of the server's `serialize`. Creates each object before reading its contents, which may refer to the
 * object.
 */
export function deserialize(json: string): unknown {
  const list: Entry[] | number = JSON.parse(json);
  if (typeof list === "number") return CONSTANTS[-1 - list];
  const created = new Map<number, unknown>();
  const read: Read = (index) => {
    if (index < 0) return CONSTANTS[-1 - index];
    if (!created.has(index)) {
      const [value, fill] = create(list[index], read);
      created.set(index, value);
      fill?.();
    }
    return created.get(index);
  };
  return read(0);
}

/** Creates a value. A container also gets a function that fills it. */
function create(entry: Entry, read: Read): [value: unknown, fill?: () => void] {
  if (typeof entry !== "object") return [entry];
  if (isTyped(entry)) return createTyped(entry, read);
  if (Array.isArray(entry)) {
    const items = new Array(entry.length);
    return [items, () => entry.forEach((index, i) => index !== HOLE && (items[i] = read(index)))];
  }
  const record: Record<string, unknown> = {};
  return [record, () => {
    for (const key of Object.keys(entry)) {
      // Assigning this key would replace the prototype.
      if (key !== "__proto__") record[key] = read(entry[key]);
    }
  }];
}

function isTyped(entry: object): entry is Typed {
  return Array.isArray(entry) && typeof entry[0] === "string";
}

function createTyped([type, content, extra]: Typed, read: Read): [value: unknown, fill?: () => void] {
  const indexes = content as number[];
  if (type === "Signal") {
    const created = signal<unknown>();
    return [created, () => created.value = read(content as number)];
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
  return [createScalar(type, content as string, extra)];
}

function createScalar(type: string, content: string, extra?: string): unknown {
  if (type === "Slot") return new Slot(Number(content));
  if (type === "BigInt") return BigInt(content);
  if (type === "URL") return new URL(content);
  if (type === "Date") return new Date(content ?? NaN);
  if (type === "RegExp") return new RegExp(content, extra);
  if (type === "Uint8Array") return Uint8Array.from(atob(content), (char) => char.charCodeAt(0));
  return Temporal[type.slice("Temporal.".length) as "Instant"].from(content);
}
