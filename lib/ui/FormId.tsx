/** The number of a form, by which the second click of a double click is known. Islands get theirs from the page. */
export function FormId({ value = crypto.randomUUID() }: { value?: string }) {
  return <input type="hidden" name="form_id" value={value} />;
}
