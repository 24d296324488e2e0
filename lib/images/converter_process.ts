/**
 * A converter: converts one image at a time, in a process that can do nothing else. It talks through its standard input
 * and output, and ends with its input, even in the middle of a conversion.
 */
import { createConversion } from "./conversion.ts";
import { type Message, readMessage, writeMessage } from "./messages.ts";

// A service manager and Ctrl+C signal every process. The service then finishes its requests, and needs the converters.
for (const signal of ["SIGTERM", "SIGINT"] as const) Deno.addSignalListener(signal, () => {});

const answer = createConversion();
while (true) {
  const request = await readMessage(Deno.stdin);
  if (request === null) Deno.exit();
  void respond(request); // keep reading, so that the end of the input is noticed
}

async function respond(request: Message): Promise<void> {
  await writeMessage(Deno.stdout, await answer(request));
}
