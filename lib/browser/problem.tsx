import type { ComponentChildren } from "preact";
import type { Answer } from "./send.ts";

/** Says what went wrong, without the full stop. The API's own words for a wrong size count bytes, so they stay unseen. */
export function problemOf({ status, message }: Answer): ComponentChildren {
  if (status === 413) return "This is too large to send";
  if (status !== 401) return message;
  // A window of its own: what was typed or chosen stays in this one.
  return (
    <>
      Your session has ended. <a href="/login" target="_blank">Log in again in another window</a>, then try once more
    </>
  );
}
