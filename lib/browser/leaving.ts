import { useEffect } from "preact/hooks";

/** Has the browser ask before the page is left, as long as something would be lost. */
export function useLeaveGuard(wouldLose: () => boolean): void {
  useEffect(() => {
    const guard = (event: Event) => wouldLose() && event.preventDefault();
    addEventListener("beforeunload", guard);
    return () => removeEventListener("beforeunload", guard);
  }, []);
}
