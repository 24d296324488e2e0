import { useEffect } from "preact/hooks";

/** Makes the browser ask for confirmation before it leaves the page while `wouldLose` returns true. */
export function useLeaveGuard(wouldLose: () => boolean): void {
  useEffect(() => {
    const guard = (event: Event) => wouldLose() && event.preventDefault();
    addEventListener("beforeunload", guard);
    return () => removeEventListener("beforeunload", guard);
  }, []);
}
