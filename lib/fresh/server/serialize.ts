/** A placeholder for server content passed to an island. The content itself is in the page. */
export class SlotRef {
  constructor(readonly id: number) {}
}

/** Values with negative indexes. The client has the same list. -7 is a hole in an array. */
const CONSTANTS = [undefined, null, NaN, Infinity, -Infinity, -0];
const HOLE = -7;

/** Adds a value to the list and returns its index. */
type Add = (value: unknown) => number;

/**
 * Serializes a value as a flat JSON list. The first entry is the value itself; containers hold indexes into the list.
 * This preserves object identity and cycles.
 *
 * @throws {TypeError} The value contains a function or a symbol.
 */
export function serialize(value: unknown): string {
  const list: string[] = [];
  const seen = new Map<unknown, number>();
  const add: Add = (inner) => {
    const constant = CONSTANTS.findIndex((each) => Object.is(each, inner));
    if (constant !== -1) return -1 - constant;
    const known = seen.get(inner);
    if (known !== undefined) return known;
    // Reserve the index before adding the contents, which may refer to this value.
    const index = list.push("") - 1;
    seen.set(inner, index);
    list[index] = encode(inner, add);
    return index;
  };
  const first = add(value);
  return first < 0 ? String(first) : `[${list.join(",")}]`;
}

function encode(value: unknown, add: Add): string {
  if (typeof value === "bigint") return typed("BigInt", String(value));
  if (typeof value === "object" && value !== null) {
    return encodeScalar(value) ?? encodeContainer(value, add);
  }
  if (typeof value === "function" || typeof value === "symbol") {
    throw new TypeError(`Cannot serialize an island's props: ${typeof value}`);
  }
  return JSON.stringify(value);
}

function encodeScalar(value: object): string | null {
  if (value instanceof SlotRef) return typed("Slot", value.id);
  if (value instanceof URL) return typed("URL", value.href);
  // The time of an invalid date is NaN, which becomes null in JSON.
  if (value instanceof Date) return typed("Date", value.getTime());
  if (value instanceof RegExp) return typed("RegExp", value.source, value.flags);
  if (value instanceof Uint8Array) return typed("Uint8Array", value.toBase64());
  const tag = Object.prototype.toString.call(value).slice("[object ".length, -1);
  return tag.startsWith("Temporal.") ? typed(tag, String(value)) : null;
}

function encodeContainer(value: object, add: Add): string {
  if (isSignal(value)) return typed(isWritable(value) ? "Signal" : "Computed", add(value.peek()));
  if (value instanceof Set) return typed("Set", Array.from(value, (item) => add(item)));
  if (value instanceof Map) return typed("Map", Array.from(value, ([key, item]) => [add(key), add(item)]).flat());
  if (Array.isArray(value)) return JSON.stringify(Array.from(value, (item, i) => i in value ? add(item) : HOLE));
  return `{${Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}:${add(inner)}`)}}`;
}

function typed(name: string, ...content: unknown[]): string {
  return JSON.stringify([name, ...content]);
}

/** Returns whether a value is a signal. Checks its shape, because several copies of the package may be loaded. */
export function isSignal(value: object): value is { peek(): unknown } {
  return "peek" in value && typeof value.peek === "function" && "value" in value;
}

// A computed signal has no setter.
function isWritable(signal: object): boolean {
  return Boolean(Object.getOwnPropertyDescriptor(Object.getPrototypeOf(signal), "value")?.set);
}
