/** The field with the id of a form. */
export const FORM_ID_FIELD = "form_id";

/** Identifies a form, so that a double click counts once. Islands receive the value from their page. */
export function FormId({ value = crypto.randomUUID() }: { value?: string }) {
  return <input type="hidden" name={FORM_ID_FIELD} value={value} />;
}
