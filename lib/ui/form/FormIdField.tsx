/** The field with the id of a form. */
export const FORM_ID_FIELD = "form_id";

/** The id of a form that an island sends. The page makes it. */
export function FormIdField({ value }: { value: string }) {
  return <input type="hidden" name={FORM_ID_FIELD} value={value} />;
}
