import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

const CLEAR_EVENT = "foyer:clear-outcomes";

/** The text about the outcome of an island's last action. It disappears when any island starts another action. */
export function useOutcome(): Signal<string> {
  const outcome = useSignal("");
  useEffect(() => {
    const clear = () => outcome.value = "";
    addEventListener(CLEAR_EVENT, clear);
    return () => removeEventListener(CLEAR_EVENT, clear);
  }, []);
  return outcome;
}

/** Removes the outcomes of earlier actions: those of all islands, and the server's notice. */
export function clearOutcomes(): void {
  document.querySelector(".notice")?.remove();
  dispatchEvent(new Event(CLEAR_EVENT));
}
