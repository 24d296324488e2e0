/** A message between the service and a converter: a value that JSON can represent, and bytes. */
export interface Message {
  value: unknown;
  parts: Uint8Array<ArrayBuffer>[];
}

/** Where messages come from, such as a connection. */
export interface Source {
  read(bytes: Uint8Array): Promise<number | null>;
}

/** Where messages go to, such as a connection. */
export interface Sink {
  write(bytes: Uint8Array): Promise<number>;
}

/** The length of the head as a 32-bit number, then the head: the value and the sizes of the parts. The parts follow. */
const LENGTH_BYTES = 4;
const MAX_HEAD_BYTES = 64 * 1024;
/** Far more than an image and its copies. The service does not trust a converter, which may have been taken over. */
const MAX_PARTS_BYTES = 256 * 1024 * 1024;

/** Writes a message. */
export async function writeMessage(sink: Sink, { value, parts }: Message): Promise<void> {
  const head = new TextEncoder().encode(JSON.stringify({ value, sizes: parts.map(({ length }) => length) }));
  const start = new Uint8Array(LENGTH_BYTES + head.length);
  new DataView(start.buffer).setUint32(0, head.length);
  start.set(head, LENGTH_BYTES);
  for (const bytes of [start, ...parts]) await writeAll(sink, bytes);
}

/**
 * Reads a message. Returns null at the end of the source.
 *
 * @throws if the message is incomplete, too large or malformed.
 */
export async function readMessage(source: Source): Promise<Message | null> {
  const length = await readExactly(source, LENGTH_BYTES);
  if (length === null) return null;
  const headBytes = new DataView(length.buffer).getUint32(0);
  if (headBytes > MAX_HEAD_BYTES) throw new Error(`Cannot read a message: its head has ${headBytes} bytes`);
  const { value, sizes } = JSON.parse(new TextDecoder().decode(await readPart(source, headBytes)));
  requireSizes(sizes);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (const size of sizes) parts.push(await readPart(source, size));
  return { value, parts };
}

function requireSizes(sizes: unknown): asserts sizes is number[] {
  const areSizes = Array.isArray(sizes) && sizes.every((size) => Number.isInteger(size) && size >= 0);
  if (!areSizes || sizes.reduce((sum, size) => sum + size, 0) > MAX_PARTS_BYTES) {
    throw new Error(`Cannot read a message: its parts have the sizes ${JSON.stringify(sizes)}`);
  }
}

async function readPart(source: Source, size: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await readExactly(source, size);
  if (bytes === null && size > 0) throw new Error(`Cannot read a message: ${size} bytes are missing`);
  return bytes ?? new Uint8Array();
}

/** Returns null if the source ends before the first byte. */
async function readExactly(source: Source, size: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const bytes = new Uint8Array(size);
  let filled = 0;
  while (filled < size) {
    const count = await source.read(bytes.subarray(filled));
    if (count === null && filled === 0) return null;
    if (count === null) throw new Error(`Cannot read a message: it ends after ${filled} of ${size} bytes`);
    filled += count;
  }
  return bytes;
}

/** Writes bytes until all have been taken. */
export async function writeAll(sink: Sink, bytes: Uint8Array): Promise<void> {
  let written = 0;
  while (written < bytes.length) written += await sink.write(bytes.subarray(written));
}
