import { DONE } from "./conversion_requests.ts";
import { putImage, removeImage, socketIn } from "./converter_folder.ts";
import { type Message, readMessage, writeMessage } from "./messages.ts";

/** A converter that the launcher lends. It answers one message at a time. */
export interface Converter {
  /**
   * Sends a message and waits for the answer.
   *
   * @throws if the converter ends first.
   */
  exchange(message: Message): Promise<Message>;
  /** Returns the converter for other images. Has no effect on one that has ended. */
  giveBack(): Promise<void>;
  /** Ends the converter, even if it is working. */
  close(): void;
}

/** Borrows a converter from the launcher. The images of messages go through files in the folder. */
export async function borrowConverter(folder: string): Promise<Converter> {
  const connection = await Deno.connect({ transport: "unix", path: socketIn(folder) });
  let isClosed = false;

  function close() {
    if (isClosed) return;
    isClosed = true;
    connection.close();
  }

  async function ask(message: Message): Promise<Message> {
    await writeMessage(connection, message);
    const answer = await readMessage(connection);
    if (answer === null) throw new Error("The converter has ended");
    return answer;
  }

  return {
    async exchange({ value, parts }) {
      const files: string[] = [];
      try {
        for (const bytes of parts) files.push(await putImage(folder, bytes));
        return await ask({ value: { request: value, files }, parts: [] });
      } finally {
        for (const name of files) void removeImage(folder, name);
      }
    },
    /** Waits for the launcher to close the connection: from then on, the next image can have the converter. */
    async giveBack() {
      if (isClosed) return;
      await ask({ value: DONE, parts: [] }).catch(() => {});
      close();
    },
    close,
  };
}
