import { AppError } from "../errors/errors.ts";
import type { IncomingUpload } from "../services/object_store.ts";

type Content = AsyncGenerator<Uint8Array<ArrayBuffer>>;

/** Passes content on. Throws FORBIDDEN if its announced or actual size is not `sizeBytes`, as soon as that is known. */
export function exactly(sizeBytes: number, { announcedBytes = sizeBytes, content }: IncomingUpload): Content {
  if (announcedBytes !== sizeBytes) throw wrongSize(sizeBytes);
  return counted(content, (receivedBytes, isEnd) => {
    if (isEnd ? receivedBytes < sizeBytes : receivedBytes > sizeBytes) throw wrongSize(sizeBytes);
  });
}

/** Passes content on. Throws PAYLOAD_TOO_LARGE if it is larger than `maxBytes`, as soon as that is known. */
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

function wrongSize(sizeBytes: number): AppError {
  return new AppError("FORBIDDEN", { reason: "size", sizeBytes });
}

function tooLarge(maxBytes: number): AppError {
  return new AppError("PAYLOAD_TOO_LARGE", { reason: "upload", maxBytes });
}
