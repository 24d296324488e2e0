import { type ConversionRequest, DONE } from "./conversion_requests.ts";
import { socketIn } from "./converter_folder.ts";
import { type Message, readMessage, writeMessage } from "./messages.ts";

/** A converter that the launcher lends. It answers one message at a time. */
export interface Converter {
  /**
   * Sends a request and waits for the answer.
   *
   * @throws if the converter ends first.
   */
  exchange(request: ConversionRequest): Promise<Message>;
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

  async function ask(value: ConversionRequest | typeof DONE): Promise<Message> {
    await writeMessage(connection, { value, parts: [] });
    const answer = await readMessage(connection);
    if (answer === null) throw new Error("The converter has ended");
    return answer;
  }

  return {
    exchange: ask,
    /** Waits for the launcher to close the connection: from then on, the next image can have the converter. */
    async giveBack() {
      if (isClosed) return;
      await ask(DONE).catch(() => {});
      close();
    },
    close,
  };
}
