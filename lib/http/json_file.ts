/**
 * The fields of a JSON document, in their order. Each is read when its turn comes. A list that may be long comes in
 * pages, none of which is empty.
 */
export type JsonFields = Record<string, () => unknown | Promise<unknown> | AsyncIterable<unknown[]>>;

export interface JsonFileOptions {
  filename: string;
  /** Called with the error that ends the response early. */
  onBreak(error: unknown): void;
}

/**
 * 200 with a JSON document that browsers save as a file. It is indented, because people read it too. Memory holds one
 * page at a time, and the next one is read when the client has taken the last.
 *
 * An error before the first page is thrown. A later one breaks the connection, so that no client takes half of the
 * document for all of it.
 */
export async function jsonFile(fields: JsonFields, { filename, onBreak }: JsonFileOptions): Promise<Response> {
  const texts = textsOf(fields);
  const first = await texts.next();
  const body = ReadableStream.from(bytesOf(first, texts, onBreak));
  const headers = { "Content-Type": "application/json", "Content-Disposition": `attachment; filename="${filename}"` };
  return new Response(body, { headers });
}

type Texts = AsyncGenerator<string, void>;

async function* bytesOf(
  first: IteratorResult<string, void>,
  rest: Texts,
  onBreak: JsonFileOptions["onBreak"],
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  try {
    for (let next = first; !next.done; next = await rest.next()) yield encoder.encode(next.value);
  } catch (error) {
    onBreak(error);
    throw error;
  } finally {
    await rest.return();
  }
}

/** Yields the document in pieces, each of which ends with a page or with the document. */
async function* textsOf(fields: JsonFields): Texts {
  let text = "{";
  for (const [index, [name, read]] of Object.entries(fields).entries()) {
    text += `${index === 0 ? "" : ","}\n  ${JSON.stringify(name)}: `;
    const value = await read();
    if (!isPaged(value)) {
      text += indented(JSON.stringify(value, null, 2));
      continue;
    }
    let isEmpty = true;
    for await (const page of value) {
      yield `${text}${isEmpty ? "[" : ","}${itemsOf(page)}`;
      [text, isEmpty] = ["", false];
    }
    text += isEmpty ? "[]" : "\n  ]";
  }
  yield `${text}\n}`;
}

function isPaged(value: unknown): value is AsyncIterable<unknown[]> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

/** The items of an indented list, without its brackets. */
function itemsOf(page: unknown[]): string {
  return indented(JSON.stringify(page, null, 2).slice("[".length, -"\n]".length));
}

/** All line breaks are between values: JSON escapes those in strings. */
function indented(json: string): string {
  return json.replaceAll("\n", "\n  ");
}
