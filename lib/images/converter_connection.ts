import { type ConversionRequest, DONE } from "./conversion_requests.ts";
import { socketIn } from "./converter_folder.ts";
import { type Message, readMessage, writeMessage } from "./messages.ts";

/** A converter that the launcher lends. */
export interface Converter {
  /** Asks for the conversion of an image. */
  send(request: ConversionRequest): Promise<void>;
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

/** Borrows a converter from the launcher. It reads images from the folder. */
export async function borrowConverter(folder: string): Promise<Converter> {
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

  return {
    send,
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
