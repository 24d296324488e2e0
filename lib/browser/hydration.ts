import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** A signal that turns true once the island responds to events. It is false in the HTML that the server sends. */
export function useIsHydrated(): Signal<boolean> {
  const isHydrated = useSignal(false);
  useEffect(() => {
    isHydrated.value = true;
  }, []);
  return isHydrated;
}
