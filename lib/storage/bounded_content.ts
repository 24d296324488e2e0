import { AppError } from "../errors.ts";
import type { IncomingUpload } from "../services.ts";

type Content = AsyncGenerator<Uint8Array<ArrayBuffer>>;

/** Content of exactly this size, else FORBIDDEN: at once where another is announced, or as soon as it is seen. */
export function exactly(sizeBytes: number, { announcedBytes = sizeBytes, content }: IncomingUpload): Content {
  if (announcedBytes !== sizeBytes) throw otherSize(sizeBytes);
  return counted(content, (receivedBytes, isEnd) => {
    if (isEnd ? receivedBytes < sizeBytes : receivedBytes > sizeBytes) throw otherSize(sizeBytes);
  });
}

/** Content of at most this size, else PAYLOAD_TOO_LARGE, likewise. */
export function atMost(maxBytes: number, { announcedBytes = 0, content }: IncomingUpload): Content {
  if (announcedBytes > maxBytes) throw tooLarge(maxBytes);
  return counted(content, (receivedBytes) => {
    if (receivedBytes > maxBytes) throw tooLarge(maxBytes);
  });
}

async function* counted(
  content: IncomingUpload["content"],
  check: (receivedBytes: number, isEnd: boolean) => void,
): Content {
  let receivedBytes = 0;
  for await (const chunk of content) {
    receivedBytes += chunk.length;
    check(receivedBytes, false);
    yield chunk;
  }
  check(receivedBytes, true);
}

function otherSize(sizeBytes: number): AppError {
  return new AppError("FORBIDDEN", `The upload must be of ${sizeBytes} bytes, as it was declared`);
}

function tooLarge(maxBytes: number): AppError {
  return new AppError("PAYLOAD_TOO_LARGE", `The upload is larger than ${maxBytes} bytes`);
}
