import { AppError } from "../errors.ts";
import type { IncomingUpload } from "../services.ts";

type Content = AsyncGenerator<Uint8Array<ArrayBuffer>>;

/** Passes on content of exactly this size. Another size is FORBIDDEN: at once if announced, otherwise as soon as seen. */
export function exactly(sizeBytes: number, { announcedBytes = sizeBytes, content }: IncomingUpload): Content {
  if (announcedBytes !== sizeBytes) throw otherSize(sizeBytes);
  return counted(content, (receivedBytes, isEnd) => {
    if (isEnd ? receivedBytes < sizeBytes : receivedBytes > sizeBytes) throw otherSize(sizeBytes);
  });
}

/** Passes on content of at most this size. A larger size is PAYLOAD_TOO_LARGE, with the same timing. */
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
  return new AppError("FORBIDDEN", `The upload must be exactly ${sizeBytes} bytes, the declared size`);
}

function tooLarge(maxBytes: number): AppError {
  return new AppError("PAYLOAD_TOO_LARGE", `The upload is larger than ${maxBytes} bytes`);
}
