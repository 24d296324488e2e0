import { statfs } from "node:fs/promises";
import { AppError } from "../errors/errors.ts";
import type { Log } from "../log/log.ts";

const MEBIBYTE = 1024 * 1024;
/** The share of the disk that is reserved, within these limits. */
const RESERVE_SHARE = 0.05;
const RESERVE_MIN_BYTES = 64 * MEBIBYTE;
const RESERVE_MAX_BYTES = 1024 * MEBIBYTE;
/** The free space is measured again after this many written bytes. */
const MEASURE_EVERY_BYTES = MEBIBYTE;
/** The reserve counts as free again above this multiple of it, so that uploads near the limit do not fill the log. */
const RECOVERED_SHARE = 1.25;
const RETRY_AFTER_SECONDS = 30;

/** Keeps part of a disk free. */
export interface DiskReserve {
  /**
   * Returns a function to call before each write of one file, with the number of bytes.
   *
   * @throws {AppError} from both: UNAVAILABLE when the reserve is reached.
   */
  startFile(): Promise<(bytes: number) => Promise<void>>;
}

/** For a disk that contains only uploads. */
export const NO_RESERVE: DiskReserve = { startFile: () => Promise.resolve(() => Promise.resolve()) };

/**
 * Reserves 5% of a disk for the embedded database, at least 64 MiB and at most 1 GiB, so that the database can still
 * write after uploads have stopped.
 */
export function createDiskReserve(path: string, log: Log): DiskReserve {
  let isReached = false;
  async function requireSpace(): Promise<void> {
    const { bsize, blocks, bavail } = await statfs(path);
    const reserveBytes = Math.min(Math.max(blocks * bsize * RESERVE_SHARE, RESERVE_MIN_BYTES), RESERVE_MAX_BYTES);
    const freeBytes = bavail * bsize;
    if (freeBytes < reserveBytes) {
      if (!isReached) log("error", "disk reserve reached: uploads are refused", { path, freeBytes, reserveBytes });
      isReached = true;
      throw new AppError("UNAVAILABLE", {
        reason: "storage",
        cause: new Error(`Writing a file: ${freeBytes} bytes are free, ${reserveBytes} are reserved`),
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    if (isReached && freeBytes > reserveBytes * RECOVERED_SHARE) {
      isReached = false;
      log("info", "disk reserve free again: uploads are accepted", { path, freeBytes, reserveBytes });
    }
  }
  return {
    async startFile() {
      await requireSpace();
      let writtenBytes = 0;
      return async (bytes) => {
        writtenBytes += bytes;
        if (writtenBytes < MEASURE_EVERY_BYTES) return;
        writtenBytes = 0;
        await requireSpace();
      };
    },
  };
}
