/**
 * A converter: converts one image at a time, in a process that can do nothing else. It reads images from the folder
 * that its argument names, talks through its standard input and output, and ends with its input, even in the middle of
 * a conversion.
 */
import { convert } from "./conversion.ts";
import type { ConversionRequest } from "./conversion_requests.ts";
import { type Message, readMessage, writeMessage } from "./messages.ts";

// A service manager and Ctrl+C signal every process. The service then finishes its requests, and needs the converters.
for (const signal of ["SIGTERM", "SIGINT"] as const) Deno.addSignalListener(signal, () => {});

const [folder] = Deno.args;
while (true) {
  const sent = await readMessage(Deno.stdin);
  if (sent === null) Deno.exit();
  void respond(sent); // keep reading, so that the end of the input is noticed
}

async function respond({ value }: Message): Promise<void> {
  for await (const answer of convert(folder, value as ConversionRequest)) await writeMessage(Deno.stdout, answer);
}
