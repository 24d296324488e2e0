import { type ConversionRequest, DONE, LENT } from "./conversion_requests.ts";
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
  /** Returns the converter for other images. Has no effect on one that has ended. */
  giveBack(): Promise<void>;
  /** Ends the converter, even if it is working. */
  close(): void;
}

/**
 * Waits until the launcher lends a converter for a request. The converter reads the image from the folder. The request
 * is sent first, so that a converter that becomes free gets it at once.
 */
export async function borrowConverter(folder: string, request: ConversionRequest): Promise<Converter> {
  const connection = await Deno.connect({ transport: "unix", path: socketIn(folder) });
  let isClosed = false;

  function close() {
    if (isClosed) return;
    isClosed = true;
    connection.close();
  }

  const send = (value: ConversionRequest | typeof DONE) => writeMessage(connection, { value, parts: [] });

  async function receive(): Promise<Message> {
    const answer = await readMessage(connection);
    if (answer === null) throw new Error("The converter has ended");
    return answer;
  }

  try {
    await send(request);
    const { value } = await receive();
    if (value !== LENT) throw new Error(`Cannot borrow a converter: the launcher says ${JSON.stringify(value)}`);
  } catch (error) {
    close();
    throw error;
  }
  return {
    receive,
    /** Waits for the launcher to close the connection: from then on, the next image can have the converter. */
    async giveBack() {
      if (isClosed) return;
      await send(DONE).then(receive).catch(() => {});
      close();
    },
    close,
  };
}
