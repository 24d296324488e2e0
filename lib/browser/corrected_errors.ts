import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";

/**
 * Removes the error of a field while it is being corrected, for all fields of the server's form around an island.
 *
 * @param own the control in the island, which shows its own error.
 */
export function useCorrectedErrors(own: RefObject<HTMLInputElement>): void {
  useEffect(() => {
    const { form } = own.current!;
    const removeError = ({ target }: Event) => {
      if (target !== own.current) unmark(target as HTMLInputElement);
      removeFromSummary(form!, (target as HTMLInputElement).id);
    };
    form?.addEventListener("input", removeError);
    return () => form?.removeEventListener("input", removeError);
  }, []);
}

function unmark(field: HTMLInputElement): void {
  if (!field.hasAttribute("aria-invalid")) return;
  const error = `${field.id}-error`;
  const notes = field.getAttribute("aria-describedby")!.split(" ").filter((note) => note !== error);
  field.removeAttribute("aria-invalid");
  if (notes.length > 0) field.setAttribute("aria-describedby", notes.join(" "));
  else field.removeAttribute("aria-describedby");
  document.getElementById(error)?.remove();
}

/** The summary goes with its last line. */
function removeFromSummary(form: HTMLFormElement, id: string): void {
  const line = form.querySelector(`.form-message a[href="#${id}"]`)?.closest("li");
  const list = line?.parentElement;
  line?.remove();
  if (list?.childElementCount === 0) list.closest(".form-message")?.remove();
}
