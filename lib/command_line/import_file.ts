/** A line of a file: its number, from 1, and its text. Null if it is too long or not UTF-8. */
export type NumberedLine = [line: number, text: string | null];

/** No user is as long. */
const LINE_MAX_BYTES = 65_536;
/**
 * Lines that are handled at once. They hold up the requests of the embedded database for a few hundredths of a second.
 */
const BATCH_LINES = 50;
const LINE_FEED = 0x0a;

/** Reads a file a few lines at a time, in memory that does not grow with its size. Empty lines are left out. */
export async function* batchesOf(path: string): AsyncGenerator<NumberedLine[]> {
  const file = await Deno.open(path);
  let batch: NumberedLine[] = [];
  for await (const [line, text] of linesOf(file.readable)) {
    if (text?.trim() === "") continue;
    if (batch.push([line, text]) < BATCH_LINES) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Splits at line feeds before it decodes, so that damage stays on its line. */
async function* linesOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<NumberedLine> {
  let [line, length, parts] = [1, 0, [] as Uint8Array[]];
  const end = (): NumberedLine => [line++, length > LINE_MAX_BYTES ? null : decode(parts)];
  for await (const chunk of stream) {
    let start = 0;
    for (let at; (at = chunk.indexOf(LINE_FEED, start)) >= 0; start = at + 1) {
      add(chunk.subarray(start, at));
      yield end();
      [length, parts] = [0, []];
    }
    add(chunk.slice(start));
  }
  if (length > 0) yield end();

  function add(part: Uint8Array): void {
    length += part.length;
    if (length <= LINE_MAX_BYTES) parts.push(part);
  }
}

/** Also removes a byte order mark, which some systems write. */
function decode(parts: Uint8Array[]): string | null {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
