import { errorFields } from "../log/log.ts";
import type { Services } from "../services/services.ts";
import { DAY_SECONDS, MINUTE_SECONDS, secondsAfter } from "../duration.ts";
import type { PrivateProbe } from "../services/object_store.ts";

/**
 * Writes an object to the bucket and deletes it, so that a mistake in the settings is in the log before the first
 * upload. A folder has already been written to: the start creates it.
 */
export async function checkStore(
  { config, objects, log }: Pick<Services, "config" | "objects" | "log">,
): Promise<void> {
  if (config.s3 === undefined) return;
  // In a folder that the credentials must be able to write to.
  const key = `uploads/write-test-${crypto.randomUUID()}`;
  try {
    await objects.put(key, new Uint8Array([0]), "application/octet-stream");
    await objects.delete(key);
  } catch (error) {
    const hint = "check S3_ENDPOINT, S3_REGION, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY and " +
      "the clock of this machine";
    log("error", `the bucket cannot be written to: ${hint}`, errorFields(error));
  }
}

type Result = PrivateProbe["result"];

/**
 * How long the result of a probe holds. Without one, or until the bucket is fixed, people cannot store private files.
 */
const PAUSE_SECONDS: Record<Result, number> = {
  closed: DAY_SECONDS,
  readable: 10 * MINUTE_SECONDS,
  unknown: MINUTE_SECONDS,
};

/**
 * Returns the job that finds out whether anyone can read private files in the bucket. Each process needs the answer for
 * itself, because the store in its memory refuses uploads of private files without it.
 */
export function createPrivateProbe({ objects, now, log }: Pick<Services, "objects" | "now" | "log">) {
  let nextAt = new Date(0);
  let last: Result | null = null;
  return async (): Promise<number> => {
    if (objects.probePrivate === undefined || now() < nextAt) return 0;
    const probe = await objects.probePrivate();
    nextAt = secondsAfter(now(), PAUSE_SECONDS[probe.result]);
    if (probe.result === "readable" || probe.result !== last) report(log, probe, last);
    if (probe.leftBehind !== undefined) log("warn", "private probe not deleted", errorFields(probe.leftBehind));
    last = probe.result;
    return 0;
  };
}

function report(log: Services["log"], probe: PrivateProbe, last: Result | null): void {
  if (probe.result === "closed") {
    if (last !== null) log("info", "the bucket refuses to show private files, which can be stored again");
  } else if (probe.result === "readable") {
    const advice = "make its policy public only for uploads/ and images/, or set S3_PRIVATE_BUCKET";
    log("error", `anyone can read private files in the bucket, so no more are stored: ${advice}`, {
      address: probe.address,
    });
  } else {
    const effect = last === null ? "none are stored until this is known" : "trying again";
    log("warn", `could not find out whether private files are readable: ${effect}`, errorFields(probe.cause));
  }
}
