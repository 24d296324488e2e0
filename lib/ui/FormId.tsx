/** The field with the number that a page gives each of its forms. */
export const FORM_ID_FIELD = "form_id";

/** The number of a form, by which the second click of a double click is known. Islands get theirs from the page. */
export function FormId({ value = crypto.randomUUID() }: { value?: string }) {
  return <input type="hidden" name={FORM_ID_FIELD} value={value} />;
}
