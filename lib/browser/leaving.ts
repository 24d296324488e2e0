import { useEffect } from "preact/hooks";

/** Has the browser ask before the page is left, as long as something would be lost. */
export function useLeaveGuard(wouldLose: () => boolean): void {
  useEffect(() => {
    const guard = (event: Event) => wouldLose() && event.preventDefault();
    addEventListener("beforeunload", guard);
    return () => removeEventListener("beforeunload", guard);
  }, []);
}

/** Lets a form be submitted once: the second click of a double click does nothing. */
export function submitOnce(form: HTMLFormElement): void {
  let isSubmitted = false;
  form.addEventListener("submit", (event) => {
    if (isSubmitted) event.preventDefault();
    isSubmitted = true;
  });
  // Also runs when the browser brings the page back as it was.
  addEventListener("pageshow", () => isSubmitted = false);
}
