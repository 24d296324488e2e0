import { type Message, readMessage, writeMessage } from "./messages.ts";

/** A converter. It answers one message at a time. */
export interface Converter {
  /**
   * Sends a message and waits for the answer.
   *
   * @throws if the converter ends first.
   */
  exchange(message: Message): Promise<Message>;
  /** Ends the converter, even if it is working. */
  close(): void;
  /** Whether it has ended. */
  isClosed(): boolean;
}

/** Connects to the launcher, which starts a converter for the connection and ends both together. */
export async function connectToConverter(path: string): Promise<Converter> {
  const connection = await Deno.connect({ transport: "unix", path });
  let isClosed = false;
  let next = readNext();

  /** Reads ahead, because the end of an idle converter must be noticed. */
  function readNext(): Promise<Message> {
    const reading = readMessage(connection).then((answer) => {
      if (answer === null) throw new Error("The converter has ended");
      return answer;
    });
    reading.catch(close);
    return reading;
  }

  function close() {
    if (isClosed) return;
    isClosed = true;
    connection.close();
  }

  return {
    async exchange(message) {
      const [answer] = await Promise.all([next, writeMessage(connection, message)]);
      next = readNext();
      return answer;
    },
    close,
    isClosed: () => isClosed,
  };
}
