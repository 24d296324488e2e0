import { useRef } from "preact/hooks";
import { type Reply, send, type SendOptions } from "./send.ts";

type Fields = Record<string, string | null>;

/**
 * Saves fields of the profile.
 *
 * @param options.before the values that the page shows. Without it, newer values are replaced without asking.
 */
export type SendProfile = (
  fields: Fields,
  options?: Pick<SendOptions, "signal"> & { before?: Fields },
) => Promise<Reply>;

/** The profile that a page shows. */
export interface ShownProfile {
  userId: string;
  /** The entity tag of this version. */
  etag: string;
}

/**
 * Saves fields of the profile that the page shows, and of no other: someone else may have logged in since. If the
 * profile has changed, its other fields keep their new values. If one of these fields has changed, the first attempt
 * fails with PRECONDITION_FAILED and the stored profile, and the next one replaces the field.
 */
export function useProfileRequest({ userId, ...shown }: ShownProfile): SendProfile {
  const etag = useRef(shown.etag);
  return async (json, { signal, before } = {}) => {
    const put = () => send("PUT", "/api/profile", { json, signal, ifMatch: etag.current });
    let reply = await put();
    if (reply.code === "PRECONDITION_FAILED") {
      const current = await send("GET", "/api/profile", { signal });
      if (!current.isOk) return current;
      const stored = current.body.user as Fields;
      if (stored.id !== userId) return { ...reply, code: "FORBIDDEN" };
      etag.current = current.etag;
      const isNewer = (field: string) => before !== undefined && stored[field] !== before[field];
      if (Object.keys(json).some(isNewer)) return { ...reply, body: current.body };
      reply = await put();
    }
    if (reply.isOk) etag.current = reply.etag;
    return reply;
  };
}
