import type { ComponentChildren } from "preact";
import type { Answer } from "./send.ts";

/** What to say of an answer that is no success, without the full stop; to the end of the session belongs a way back. */
export function problemOf({ status, message }: Answer): ComponentChildren {
  if (status !== 401) return message;
  // A window of its own: what was typed or chosen stays in this one.
  return (
    <>
      Your session has ended. <a href="/login" target="_blank">Log in again in another window</a>, then try once more
    </>
  );
}
