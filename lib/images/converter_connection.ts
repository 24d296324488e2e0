import { type ConversionRequest, LENT } from "./conversion_requests.ts";
import { socketIn } from "./converter_folder.ts";
import { type Message, readMessage, writeMessage } from "./messages.ts";

/** A converter that is lent for one request. */
export interface Converter {
  /**
   * Waits for the next answer.
   *
   * @throws if the converter ends first.
   */
  receive(): Promise<Message>;
  /** Ends the converter if it has not sent its last answer. Afterward, it may already have another image. */
  close(): void;
}

/**
 * Waits until the launcher lends a converter for a request. The converter reads the image from the folder. The request is
 * sent first, so that a converter that becomes free gets it at once.
 */
export async function borrowConverter(folder: string, request: ConversionRequest): Promise<Converter> {
  const connection = await Deno.connect({ transport: "unix", path: socketIn(folder) });
  let isClosed = false;

  function close() {
    if (isClosed) return;
    isClosed = true;
    connection.close();
  }

  async function receive(): Promise<Message> {
    const answer = await readMessage(connection);
    if (answer === null) throw new Error("The converter has ended");
    return answer;
  }

  try {
    await writeMessage(connection, { value: request, parts: [] });
    const { value } = await receive();
    if (value !== LENT) throw new Error(`Cannot borrow a converter: the launcher says ${JSON.stringify(value)}`);
  } catch (error) {
    close();
    throw error;
  }
  return { receive, close };
}
