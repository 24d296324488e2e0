import { AppError } from "../errors/errors.ts";

const RETRY_AFTER_SECONDS = 30;
/**
 * Errors of the disk, not of the request: EPERM, ENOENT, EIO, EACCES, ENFILE, EMFILE, EFBIG, ENOSPC, EROFS, EDQUOT.
 * Source: errno(3).
 */
const DISK_ERRNO = ["1", "2", "5", "13", "23", "24", "27", "28", "30", "122"];

/**
 * Turns an error of a full, read-only, missing or broken disk into UNAVAILABLE. Returns any other error unchanged.
 */
export function diskError(error: unknown): unknown {
  // Deno sets no `code` on some of these errors, but their messages all contain the number.
  const errno = error instanceof Error ? /\(os error (\d+)\)/.exec(error.message)?.[1] : undefined;
  if (errno === undefined || !DISK_ERRNO.includes(errno)) return error;
  return new AppError("UNAVAILABLE", {
    reason: "storage",
    cause: error,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
