import { AppError } from "../errors.ts";

const RETRY_AFTER_SECONDS = 30;
/**
 * EPERM, ENOENT, EIO, EACCES, ENFILE, EMFILE, EFBIG, ENOSPC, EROFS, EDQUOT: the disk, not the request, is at fault.
 * Source: errno(3).
 */
const DISK_ERRNO = ["1", "2", "5", "13", "23", "24", "27", "28", "30", "122"];

/**
 * UNAVAILABLE in place of an error that says that the disk is full, read-only, taken away or out of order; any other
 * error itself.
 */
export function diskError(error: unknown): unknown {
  // Deno gives some of them no code, but all of them this text.
  const errno = error instanceof Error ? /\(os error (\d+)\)/.exec(error.message)?.[1] : undefined;
  if (errno === undefined || !DISK_ERRNO.includes(errno)) return error;
  return new AppError("UNAVAILABLE", "Files cannot be stored at the moment", {
    cause: error,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
