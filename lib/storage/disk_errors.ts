import { AppError } from "../errors.ts";

const RETRY_AFTER_SECONDS = 30;
/**
 * EPERM, ENOENT, EIO, EACCES, ENFILE, EMFILE, EFBIG, ENOSPC, EROFS, EDQUOT: the disk is at fault, not the request.
 * Source: errno(3).
 */
const DISK_ERRNO = ["1", "2", "5", "13", "23", "24", "27", "28", "30", "122"];

/**
 * Returns UNAVAILABLE for an error that means that the disk is full, read-only, missing or broken, and any other error
 * unchanged.
 */
export function diskError(error: unknown): unknown {
  // Deno sets no code on some of them, but all have this text.
  const errno = error instanceof Error ? /\(os error (\d+)\)/.exec(error.message)?.[1] : undefined;
  if (errno === undefined || !DISK_ERRNO.includes(errno)) return error;
  return new AppError("UNAVAILABLE", "File storage is temporarily unavailable", {
    cause: error,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
